import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate } from '@mailroom/db';
import { silentLogger } from '@mailroom/kernel';
import type { Client } from 'pg';
import { type CuttableProxy, startCuttableProxy } from '../support/cuttable-proxy.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Injection, runAdversary } from './adversary.ts';
import { watchBacklog } from './backlog.ts';
import { type Answer, type Books, openBooks } from './books.ts';
import { type ChaosDatabase, startChaosDatabase } from './chaos-database.ts';
import { type ChaosHome, makeChaosHome } from './chaos-home.ts';
import type { ChaosReport } from './chaos-report.ts';
import { createEffectsTable } from './effects-table.ts';
import { endPauses } from './end-pauses.ts';
import { examine } from './examine.ts';
import type { Fault } from './fault.ts';
import { faults as allFaults } from './faults.ts';
import { type Fleet, ingestors, type ProcessName, startFleet, workers } from './fleet.ts';
import { startGenerator } from './generator.ts';
import { type MessageReceiver, startMessageReceiver } from './message-receiver.ts';
import { createPoster } from './post.ts';
import { createRecovery } from './recovery.ts';
import { createStories } from './stories.ts';

export interface ChaosOptions {
  readonly minutes: number;
  readonly seed: number;
  /** Posts in all, at least. */
  readonly requests: number;
  /** Ingestors and workers are taken from this repository, which may be an altered copy. */
  readonly repository: string;
  /** Default: all that there are. */
  readonly faults?: readonly Fault[];
  readonly print: (text: string) => void;
}

/** Deadlines of the end. A backlog is worked off within seconds; poison that breakers held takes longer. */
const acknowledgedDeadlineMs = 90_000;
const poisonDeadlineMs = 120_000;
const quietDeadlineMs = 180_000;

/** Load and faults, then quiet, then the comparison. Throws only where the run could not be made at all. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const home = makeChaosHome(options.requests);
  let keepLogs = true;
  try {
    const report = await runIn(home, options);
    keepLogs = report.differences.length + report.problems.length > 0;
    return keepLogs ? report : { ...report, logs: null };
  } finally {
    home.remove({ keepLogs });
  }
}

async function runIn(home: ChaosHome, options: ChaosOptions): Promise<ChaosReport> {
  const proxies = new Map<ProcessName, CuttableProxy>();
  const database = await startChaosDatabase({
    home: home.database,
    onMoved: (url) => proxies.forEach((proxy) => proxy.retarget(url)),
  });
  try {
    await migrate({ url: database.url(), deadlineMs: 30_000, log: silentLogger });
    await withSession(database, createEffectsTable);
    for (const name of [...ingestors, ...workers]) proxies.set(name, await startCuttableProxy(database.url()));
    const secret = newSecret();
    const messageSecret = newSecret();
    const receiver = await startMessageReceiver(messageSecret, seededRandom(options.seed + 300));
    try {
      const fleet = await startFleet({
        repository: options.repository,
        logs: home.logs,
        databaseUrlOf: (name) => proxies.get(name)?.url ?? '',
        secret,
        messages: { url: receiver.url, secret: messageSecret },
      });
      try {
        return await runWith({ home, database, proxies, receiver, fleet, secret }, options);
      } finally {
        await fleet.stop();
      }
    } finally {
      await receiver.close();
    }
  } finally {
    for (const proxy of proxies.values()) await proxy.close();
    await database.stop();
  }
}

interface Stage {
  readonly home: ChaosHome;
  readonly database: ChaosDatabase;
  readonly proxies: ReadonlyMap<ProcessName, CuttableProxy>;
  readonly receiver: MessageReceiver;
  readonly fleet: Fleet;
  readonly secret: string;
}

async function runWith(stage: Stage, options: ChaosOptions): Promise<ChaosReport> {
  const { home, database, proxies, receiver, fleet, secret } = stage;
  const { seed, minutes, requests, print } = options;
  const run = `chaos${seed}`;
  const faults = (options.faults ?? allFaults).filter(({ needsSmallDisk }) => !needsSmallDisk || home.smallDisk);
  const notes = home.smallDisk
    ? []
    : [`no full disk: the database is not on a small disk (${home.noSmallDiskBecause})`];
  const books = openBooks();
  const stories = createStories(run, seededRandom(seed));
  const poster = createPoster(secret);
  const startedMs = performance.now();
  const untilMs = startedMs + minutes * 60_000;
  const backlog = watchBacklog(database);
  const generator = startGenerator({
    backlog: backlog.waiting,
    planning: seededRandom(seed + 100),
    ordering: seededRandom(seed + 200),
    stories,
    books,
    poster,
    ports: () => ingestors.flatMap((name) => fleet.running(name)?.port ?? []),
    requests,
    untilMs,
  });
  const recovery = createRecovery({ database, stories, send: generator.send });
  print(`seed ${seed}: ${minutes} minutes, at least ${requests} posts, ${faults.length} kinds of faults`);
  for (const note of notes) print(note);
  const injections = await runAdversary({
    faults,
    world: { fleet, database, proxies, home, stories, send: generator.send },
    recovery,
    seed,
    untilMs,
    print,
  });
  const problems = await postTheRest(books, requests, untilMs);
  // Traffic goes on while poison is tried to its end: with nothing but poison left a breaker would hold it for long, rightly.
  await untilPoisonEnded(database);
  generator.stop();
  backlog.stop();
  const seconds = (performance.now() - startedMs) / 1000;
  print('no more faults: waiting for what is under way');
  if (!(await within(acknowledgedDeadlineMs, generator.ended)))
    problems.push('some deliveries were never acknowledged');
  await database.up();
  const unfinished = await untilQuiet(database, 'webhook_inbox', () => endPauses(database, options.repository));
  if (unfinished > 0) problems.push(`${unfinished} events unfinished after ${quietDeadlineMs / 1000} s`);
  const unsent = await untilQuiet(database, 'outbox', () => Promise.resolve());
  if (unsent > 0) problems.push(`${unsent} messages unsent after another ${quietDeadlineMs / 1000} s`);
  await fleet.stop();
  poster.close();
  const end = await withSession(database, (client) => examine(client, books, receiver.received));
  return {
    seed,
    minutes,
    seconds,
    posted: books.posts(),
    acknowledged: books.acknowledged(),
    answers: Object.fromEntries<number>(
      [...books.answers].map(([answer, count]: [Answer, number]) => [`${answer}`, count]),
    ),
    events: books.events.size,
    ...end,
    starts: fleet.starts(),
    faults: faults.map(({ name }) => name),
    injections,
    problems: [
      ...problems,
      ...books.problems,
      ...receiver.problems,
      ...fleet.problems(),
      ...notInjected(faults, injections),
    ],
    notes,
    logs: home.logs,
  };
}

/** The rate rises towards the end, so this takes long only where the fleet was away for long. */
async function postTheRest(books: Books, requests: number, untilMs: number): Promise<string[]> {
  const deadlineMs = performance.now() + Math.max(60_000, (untilMs - performance.now()) * 0.5);
  while (performance.now() < untilMs || books.posts() < requests) {
    if (performance.now() > Math.max(deadlineMs, untilMs)) return [`${books.posts()} posts, fewer than ${requests}`];
    await pause(100);
  }
  return [];
}

async function untilPoisonEnded(database: ChaosDatabase): Promise<void> {
  const deadlineMs = performance.now() + poisonDeadlineMs;
  while (performance.now() < deadlineMs) {
    await database.up();
    const rows = await database.query(
      `select from webhook_inbox i where i.state in ('pending', 'held') and exists (
         select from inbox_failures f where f.event_id = i.event_id and f.class = 'constraint') limit 1`,
    );
    if (rows.length === 0) return;
    await pause(500);
  }
}

async function untilQuiet(
  database: ChaosDatabase,
  table: 'webhook_inbox' | 'outbox',
  meanwhile: () => Promise<void>,
): Promise<number> {
  const deadlineMs = performance.now() + quietDeadlineMs;
  for (;;) {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int from ${table} where state in ('pending', 'held')`,
    );
    if (row?.count === 0 || performance.now() > deadlineMs) return row?.count ?? 0;
    await meanwhile();
    await pause(500);
  }
}

function notInjected(
  faults: readonly { readonly name: string }[],
  injections: readonly Injection[],
): readonly string[] {
  const injected = new Set(injections.map(({ fault }) => fault));
  const stuck = injections.filter(({ recoveryMs }) => recoveryMs === null);
  return [
    ...faults.filter(({ name }) => !injected.has(name)).map(({ name }) => `the fault never came about: ${name}`),
    ...stuck.map(({ fault }) => `not recovered within a minute of: ${fault}`),
  ];
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

async function withSession<T>(database: ChaosDatabase, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await database.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function within(deadlineMs: number, promise: Promise<unknown>): Promise<boolean> {
  return await Promise.race([promise.then(() => true), pause(deadlineMs, false, { ref: false })]);
}
