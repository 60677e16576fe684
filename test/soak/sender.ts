import { setTimeout as pause } from 'node:timers/promises';
import { post } from '../traffic/post.ts';
import { signDelivery } from '../traffic/sign-delivery.ts';
import type { Delivery } from '../traffic/storm-delivery.ts';

/** Sends as a provider does: the same event again until it is answered for good. And keeps the books that the ledger is held to. */
export interface Sender {
  deliver(delivery: Delivery): Promise<void>;
  readonly books: SenderBooks;
}

export interface SenderBooks {
  /** Deliveries that had the answer they must have, in the order of their answers. */
  readonly answered: readonly Delivery[];
  /** How often each event was posted under a right signature; each post may have been stored. */
  readonly posts: ReadonlyMap<string, number>;
  /** When an event that was acknowledged before was acknowledged again. */
  readonly duplicatesAtMs: readonly number[];
  /** Posts by answer; 'no answer' where the exchange broke. */
  readonly answers: ReadonlyMap<number | 'no answer', number>;
  /** Deliveries that were never answered for good, and answers that should not have been. */
  readonly problems: readonly string[];
}

export interface SenderOptions {
  readonly url: string;
  readonly secret: string;
}

const tryAgainAfterMs = 300;
/** A provider tries for days; here nothing is away for longer than a restart takes. */
const givenUpAfterMs = 60_000;

export function createSender({ url, secret }: SenderOptions): Sender {
  const answered: Delivery[] = [];
  const posts = new Map<string, number>();
  const acknowledged = new Set<string>();
  const duplicatesAtMs: number[] = [];
  const answers = new Map<number | 'no answer', number>();
  const problems: string[] = [];
  return { deliver, books: { answered, posts, duplicatesAtMs, answers, problems } };

  async function deliver(delivery: Delivery): Promise<void> {
    const { event, signing } = delivery;
    const givenUpAtMs = performance.now() + givenUpAfterMs;
    for (;;) {
      if (signing === 'right') add(posts, event.id);
      const { body, headers } = signDelivery(delivery, secret, Date.now());
      const answer = await post(url, body, headers);
      add(answers, typeof answer === 'number' ? answer : 'no answer');
      if (answer === delivery.answer) {
        note(delivery);
        return;
      }
      if (answer !== 503 && typeof answer === 'number') {
        problems.push(`${event.id} (${signing}): answered ${answer}, not ${delivery.answer}`);
        return;
      }
      if (performance.now() >= givenUpAtMs) {
        problems.push(`${event.id}: not accepted within ${givenUpAfterMs / 1000} s, at last ${answer}`);
        return;
      }
      await pause(tryAgainAfterMs);
    }
  }

  function note(delivery: Delivery): void {
    answered.push(delivery);
    if (delivery.answer !== 200) return;
    if (acknowledged.has(delivery.event.id)) duplicatesAtMs.push(performance.now());
    acknowledged.add(delivery.event.id);
  }
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
