// Loaded into a worker: its wall clock can be moved while it runs, as somebody who sets the time does. Timers and
// performance.now() go on, as they do on a real machine.
import type { WorkerMessage } from '../protocol-point.ts';

const now = Date.now;
let shiftMs = 0;

Date.now = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now() + shiftMs] : args, newTarget) as Date,
});

process.on('message', (message: WorkerMessage) => {
  if ('shiftMs' in message) shiftMs = message.shiftMs;
});
process.channel?.unref();
