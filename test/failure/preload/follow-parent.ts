// Loaded into every process of the fleet: it ends with the run, however that ends, stopped or not.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// The channel for messages must not keep the process alive.
process.channel?.unref();
