import type { Fault } from '../fault.ts';

export const restartFast: Fault = {
  name: 'database restarted, fast',
  does: 'PostgreSQL is shut down in fast mode (sessions are cut off) and started again',
  lane: 'database',
  inject: (world) => world.database.restart('fast').then(() => true),
};

export const restartImmediate: Fault = {
  name: 'database restarted, immediate',
  does: 'PostgreSQL is shut down in immediate mode, as by a crash, and recovers from its log',
  lane: 'database',
  inject: (world) => world.database.restart('immediate').then(() => true),
};
