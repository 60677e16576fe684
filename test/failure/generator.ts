import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Books } from './books.ts';
import { bodyOf } from './event-body.ts';
import type { Poster } from './post.ts';
import type { PlannedEvent, Stories } from './stories.ts';

export interface GeneratorOptions {
  /** What is posted: the same for the same seed. */
  readonly planning: SeededRandom;
  /** In which order; how often something is tried again depends on the faults. */
  readonly ordering: SeededRandom;
  readonly stories: Stories;
  readonly books: Books;
  readonly poster: Poster;
  /** Ports of the ingestors that take connections now. */
  readonly ports: () => readonly number[];
  /** Events that wait to be processed, as of the last look. */
  readonly backlog: () => number;
  /** Posts that are wanted in all. */
  readonly requests: number;
  /** performance.now() at which they should have been made. */
  readonly untilMs: number;
}

export interface Generator {
  /** Posts until told to stop; resolves when every delivery was acknowledged or given up. */
  readonly ended: Promise<void>;
  /** Before all others, beyond the rate, and until acknowledged. */
  readonly send: (events: readonly PlannedEvent[]) => void;
  /** No new deliveries from now on. */
  stop(): void;
}

/** One post of an event that goes on until it is acknowledged. */
interface Delivery {
  readonly event: PlannedEvent;
  readonly body: Buffer;
  readonly dueAtMs: number;
  /** After a failure the provider does not try again. */
  readonly givesUp: boolean;
}

/** Enough that an ingestor that is stopped, which holds half of it for the timeout, does not hold up the other. */
const maxInFlight = 128;
/** Out of so many that are ready the next is drawn: what is close in the stories comes in any order. */
const shuffledOver = 150;
/** Past it the machine is too busy for the rate, and recovery would be a measure of the queue. */
const maxBacklog = 1_000;
/** A second. */
const leastRate = 20;
const mostRate = 600;
const tickMs = 10;
const againAfterMs = 300;

/** Posts as many providers at once do: duplicates, twins, any order, and the same again until it is acknowledged. */
export function startGenerator(options: GeneratorOptions): Generator {
  const { planning, ordering, stories, books, poster, ports, backlog, requests, untilMs } = options;
  const urgent: Delivery[] = [];
  const ready: Delivery[] = [];
  let waiting: Delivery[] = [];
  const inFlightOf = new Map<number, number>();
  let inFlight = 0;
  const stopping = new AbortController();
  let allowed = 0;
  return { ended: run(), send, stop: () => stopping.abort() };

  function send(events: readonly PlannedEvent[]): void {
    urgent.push(...events.map((event) => ({ event, body: bodyOf(event), dueAtMs: 0, givesUp: false })));
  }

  async function run(): Promise<void> {
    let lastMs = performance.now();
    while (!stopping.signal.aborted || urgent.length + ready.length + waiting.length + inFlight > 0) {
      const nowMs = performance.now();
      allowed = Math.min(allowed + ((nowMs - lastMs) * rateAt(nowMs)) / 1000, maxInFlight);
      lastMs = nowMs;
      const due = waiting.filter(({ dueAtMs }) => dueAtMs <= nowMs);
      if (due.length > 0) waiting = waiting.filter(({ dueAtMs }) => dueAtMs > nowMs);
      ready.push(...due);
      if (!stopping.signal.aborted) while (ready.length < shuffledOver) ready.push(...planned());
      while (inFlight < maxInFlight && ports().length > 0) {
        const delivery = urgent.shift() ?? (allowed >= 1 ? takeAny() : undefined);
        if (!delivery) break;
        allowed = Math.max(0, allowed - 1);
        void deliver(delivery);
      }
      await pause(tickMs);
    }
  }

  /** A second, so that what is still wanted is posted in the time that is left; never slow, and not quicker than two cores bear. */
  function rateAt(nowMs: number): number {
    if (backlog() > maxBacklog) return leastRate;
    const leftSeconds = Math.max(1, (untilMs - nowMs) / 1000);
    return Math.min(mostRate, Math.max(leastRate, ((requests - books.posts()) / leftSeconds) * 1.3));
  }

  function planned(): readonly Delivery[] {
    return stories.next().flatMap((event) => {
      const copies = planning.fraction() < 0.15 ? 2 + Math.floor(planning.fraction() * 2) : 1;
      const body = bodyOf(event);
      const givesUp = planning.fraction() < 0.05;
      return Array.from({ length: copies }, () => ({ event, body, dueAtMs: 0, givesUp }));
    });
  }

  function takeAny(): Delivery | undefined {
    return ready.splice(Math.floor(ordering.fraction() * ready.length), 1)[0];
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const { event, body, givesUp } = delivery;
    const port = leastBusy();
    inFlight += 1;
    inFlightOf.set(port, (inFlightOf.get(port) ?? 0) + 1);
    books.posted(event);
    const answer = await poster.post(port, body);
    books.answered(event, answer);
    inFlight -= 1;
    inFlightOf.set(port, (inFlightOf.get(port) ?? 1) - 1);
    const acknowledged = typeof answer === 'number' && answer !== 503;
    if (acknowledged || givesUp) return;
    waiting.push({ ...delivery, dueAtMs: performance.now() + againAfterMs * (0.5 + ordering.fraction()) });
  }

  /** As a load balancer that counts connections does: one that answers nobody gets little. */
  function leastBusy(): number {
    return ports().toSorted((a, b) => (inFlightOf.get(a) ?? 0) - (inFlightOf.get(b) ?? 0))[0] ?? 0;
  }
}
