/**
 * Loaded into every program that `npm start` runs (`node --import`): when the process that started it is gone, however it
 * went, the channel to it breaks, and the program stops as if it had been told to.
 */
if (process.connected) {
  process.on('disconnect', stop);
  // The listener would keep the program alive after its own shutdown.
  process.channel?.unref();
} else {
  // It was gone before this line.
  stop();
}

function stop(): void {
  process.kill(process.pid, 'SIGTERM');
}
