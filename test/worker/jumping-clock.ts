// A process under the watchdog whose wall clock is set back by a day, as by NTP on a machine that was wrong.
import { setTimeout as pause } from 'node:timers/promises';
import { watchEventLoop } from '@mailroom/service';

const limitMs = 2_000;
const now = Date.now;
watchEventLoop(limitMs);
Date.now = () => now() - 86_400_000;
// The watchdog looks several times meanwhile.
await pause(limitMs * 2);
process.stdout.write('still here\n');
