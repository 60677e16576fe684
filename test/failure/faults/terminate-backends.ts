import { setTimeout as pause } from 'node:timers/promises';
import { type Fault, pick } from '../fault.ts';

export const terminateBackends: Fault = {
  name: 'backends terminated',
  does: 'pg_terminate_backend of random sessions of the fleet, a dozen within a second',
  lane: 'database',
  async inject({ database, random }) {
    let terminated = 0;
    for (let n = 0; n < 12; n += 1) {
      const sessions = await database.query<{ pid: number }>(
        `select pid from pg_stat_activity where application_name like 'mailroom-%' order by backend_start, pid`,
      );
      if (sessions.length > 0) {
        const { pid } = pick(random, sessions);
        await database.query('select pg_terminate_backend($1)', [pid]);
        terminated += 1;
      }
      await pause(80);
    }
    return terminated > 0;
  },
};
