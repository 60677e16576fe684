import type { Fault } from './fault.ts';
import { atProtocolPoints, commitUnanswered } from './faults/at-protocol-point.ts';
import { fullDisk } from './faults/full-disk.ts';
import { killIngestor, killWorker } from './faults/kill-process.ts';
import { deadlocks, lockStorm, longTransaction } from './faults/locks.ts';
import { moveClock } from './faults/move-clock.ts';
import { networkDrop, networkHalfOpen, networkSlow } from './faults/network.ts';
import { poison } from './faults/poison.ts';
import { restartFast, restartImmediate } from './faults/restart-database.ts';
import { stopIngestor, stopWorker } from './faults/stop-process.ts';
import { terminateBackends } from './faults/terminate-backends.ts';

/** Everything that goes wrong in a run, again and again. */
export const faults: readonly Fault[] = [
  killWorker,
  stopWorker,
  killIngestor,
  stopIngestor,
  ...atProtocolPoints,
  commitUnanswered,
  terminateBackends,
  restartFast,
  restartImmediate,
  networkDrop,
  networkSlow,
  networkHalfOpen,
  fullDisk,
  moveClock,
  lockStorm,
  deadlocks,
  poison,
  longTransaction,
];
