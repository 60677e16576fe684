import { openDatabase } from '@mailroom/db';
import { inboxStats } from '@mailroom/inbox';
import { askAdmin } from './ask-admin.ts';
import type { Display } from './display.ts';
import type { CountsView, View } from './frame.ts';
import type { Notices } from './notices.ts';
import type { ProvidedDatabase } from './provide-database.ts';
import { readCounter } from './read-counter.ts';
import type { Supervised } from './supervise.ts';
import { createTrafficRate } from './traffic-rate.ts';
import { viewOf } from './view.ts';
import { watch } from './watch.ts';

export interface StatusOptions {
  readonly url: string;
  readonly host: string;
  readonly ingestAdminPort: number;
  readonly database: ProvidedDatabase;
  readonly programs: readonly Supervised[];
  readonly notices: Notices;
  readonly logFolder: string;
  readonly tryNext: View['tryNext'];
  readonly display: Display;
}

/** Watches programs and inbox, shows them, and says once when everything accepts work. Returns how to stop. */
export function showStatus(options: StatusOptions): () => Promise<void> {
  const { url, host, ingestAdminPort, database, programs, notices, logFolder, tryNext, display } = options;
  const startedAtMs = Date.now();
  const pool = openDatabase({
    url: database.url,
    applicationName: 'mailroom-local',
    maxConnections: 1,
    connectTimeoutMs: 1_500,
    // A stop waits for the look under way.
    queryTimeoutMs: 2_000,
    // The next look says whether the database answers.
    onIdleError: () => undefined,
  });
  const rate = createTrafficRate();
  let ready: ReadonlySet<string> = new Set();
  let counts: CountsView | null = null;
  let saidReady = false;

  display.open(() =>
    viewOf({ url, startedAtMs, logFolder, tryNext, notices, programs, ready, counts, database }, Date.now()),
  );
  const readiness = watch(lookAtPrograms, readyEveryMs);
  const inbox = watch(lookAtInbox, lookEveryMs);

  return async () => {
    display.close();
    await Promise.all([readiness.stop(), inbox.stop()]);
    await pool.close();
  };

  async function lookAtPrograms(): Promise<void> {
    const replies = await Promise.all(programs.map(({ program }) => askAdmin(host, program.adminPort, '/readyz')));
    ready = new Set(programs.filter((_, index) => replies[index]?.status === 200).map(({ program }) => program.name));
    if (saidReady || ready.size < programs.length) return;
    saidReady = true;
    display.ready(url, tryNext);
  }

  async function lookAtInbox(): Promise<void> {
    const metrics = await askAdmin(host, ingestAdminPort, '/metrics');
    const received = metrics && readCounter(metrics.body, 'mailroom_events_received_total');
    const receivedPerSecond = received === null ? 0 : rate.read(received, Date.now());
    try {
      const { byState, oldestDueSeconds } = await inboxStats(pool, countLimit);
      counts = { receivedPerSecond, byState, countLimit, oldestDueSeconds };
    } catch {
      counts = null;
    }
  }
}

// Soon, for somebody waits for the first "ready"; an answer costs a program almost nothing.
const readyEveryMs = 250;
const lookEveryMs = 1_000;
// Counting stops here, so that a look stays cheap however much has been received.
const countLimit = 100_000;
