/**
 * Loaded into every program that `npm start` runs (`node --import`): when the process that started it is gone, however it
 * went, the channel to it breaks, and the program stops as if it had been told to.
 */
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
// The listener would keep the program alive after its own shutdown.
process.channel?.unref();
