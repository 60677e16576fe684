import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@mailroom/db';
import { type Logger, messageOf, pollInterval } from '@mailroom/kernel';
import pLimit from 'p-limit';
import { createOutboxClaimer } from './claim.ts';
import type { OutboxRetryPolicy } from './ending.ts';
import { createHeldClaims } from './held-claims.ts';
import { createRecorder } from './recorder.ts';
import { sinkLookup } from './routes.ts';
import { type RelayObserver, sendLine } from './send-line.ts';
import type { OutgoingMessage, SinkRoute } from './sink.ts';
import { giveBackClaims } from './sql/lease.ts';
import { createSweep } from './sweep.ts';

export interface RelayOptions {
  /** Connections for claims, renewals and completions: three are enough. */
  readonly database: Database;
  /** Who holds a claim, for people: host, process id. */
  readonly name: string;
  readonly routes: readonly SinkRoute[];
  /** Messages in flight at once, each of another aggregate. */
  readonly concurrency: number;
  readonly leaseMs: number;
  /** The longest that one attempt may take. */
  readonly sendTimeoutMs: number;
  readonly retry: OutboxRetryPolicy;
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** How often messages that no sink took are looked through again. */
  readonly sweepEveryMs: number;
  readonly log: Logger;
  readonly observe: RelayObserver;
}

export interface Relay {
  /** There may be messages: look soon. */
  hint(): void;
  /** Takes no more, gives back what has not begun, finishes what has. Resolves when nothing is held and the sinks are closed. */
  drain(): Promise<void>;
  /** Whether the last look at the outbox worked. */
  healthy(): boolean;
  /** Aggregates that are being sent. */
  sending(): number;
}

/**
 * Starts the relay: claim -> send -> record, messages of different aggregates side by side, those of one in turn. Any number of relays
 * may run. Every message whose topic a sink takes is sent at least once, or waits visibly for a person.
 */
export function startRelay(options: RelayOptions): Relay {
  const { database, log, name: relay, leaseMs } = options;
  const findSink = sinkLookup(options.routes);
  // As many again and more wait in memory, so that a sink which answers at once is not idle during a claim.
  const most = options.concurrency * 4;
  const claimer = createOutboxClaimer(database, { relay, leaseMs, maxAttempts: options.retry.maxAttempts });
  const held = createHeldClaims(database, { leaseMs, log });
  const recorder = createRecorder(database, { ...options, patienceMs: leaseMs, run: most, onReleased: lookNow });
  const takes = (topic: string): boolean => findSink(topic) !== undefined;
  const sweep = createSweep(database, { takes, run: most, log, onFound: lookNow });
  const limit = pLimit(options.concurrency);
  const poll = pollInterval(options.pollMinMs, options.pollMaxMs);
  const stopping = new AbortController();
  const lines = new Set<Promise<void>>();
  const lineOptions = {
    ...options,
    findSink,
    held,
    recorder,
    stopping: stopping.signal,
    giveBack: (messages: readonly OutgoingMessage[]) => giveBackClaims(database, messages),
  };
  let freed = Promise.withResolvers<void>();
  let idle = new AbortController();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let hinted: NodeJS.Timeout | undefined;
  let lastLookWorked = false;

  const sweeping = sweepLoop();
  const claiming = claimLoop();
  return { hint, drain, healthy: () => lastLookWorked, sending: () => limit.activeCount };

  async function claimLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const room = most - held.count();
      if (room < most / 2) {
        await freed.promise;
        continue;
      }
      if (await look(room)) poll.found();
      else await waitForWork(poll.nextMs());
    }
  }

  /** Answers whether to look again at once. */
  async function look(room: number): Promise<boolean> {
    lookedAt = performance.now();
    try {
      const { messages, more } = await claimer.claim(room);
      lastLookWorked = true;
      held.take(messages, lookedAt);
      for (const line of linesOf(messages)) start(line);
      return messages.length > 0 || more;
    } catch (error) {
      lastLookWorked = false;
      log.warn('outbox_claim_failed', { error: messageOf(error) });
      return false;
    }
  }

  function start(line: readonly OutgoingMessage[]): void {
    const sent = limit(() => sendLine(line, lineOptions)).finally(() => {
      lines.delete(sent);
      void recorder.idle().then(free);
    });
    lines.add(sent);
  }

  function free(): void {
    freed.resolve();
    freed = Promise.withResolvers<void>();
  }

  function lookNow(): void {
    poll.found();
    idle.abort();
  }

  /** Hints come with every transaction of a busy worker, and few of them appended anything: soon, not at once each time. */
  function hint(): void {
    hinted ??= setTimeout(
      () => {
        hinted = undefined;
        lookNow();
      },
      Math.max(0, lookedAt + hintEveryMs - performance.now()),
    );
  }

  async function waitForWork(ms: number): Promise<void> {
    idle = new AbortController();
    await pause(ms, undefined, { signal: AbortSignal.any([stopping.signal, idle.signal]) }).catch(() => undefined);
  }

  async function sweepLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sweep();
      await pause(options.sweepEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function drain(): Promise<void> {
    stopping.abort();
    clearTimeout(hinted);
    free();
    await Promise.all([claiming, sweeping]);
    while (lines.size > 0) await Promise.all(lines);
    await recorder.idle();
    await held.stop();
    await Promise.all([...new Set(options.routes.map(({ sink }) => sink))].map(async (sink) => await sink?.close?.()));
  }
}

/** By aggregate, each in its order. */
function linesOf(messages: readonly OutgoingMessage[]): readonly (readonly OutgoingMessage[])[] {
  const lines = new Map<string, OutgoingMessage[]>();
  for (const message of messages) {
    const line = lines.get(message.aggregate);
    if (line) line.push(message);
    else lines.set(message.aggregate, [message]);
  }
  return [...lines.values()];
}

const hintEveryMs = 50;
