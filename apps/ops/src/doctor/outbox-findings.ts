import type { Tx } from '@mailroom/db';
import { outboxTotals } from '../queries/outbox-totals.ts';
import { unroutedTopics } from '../queries/unsent-messages.ts';
import { count } from '../terminal/count.ts';
import { spanOf } from '../terminal/span.ts';
import { typed } from '../terminal/typed.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

/** What the workers of this configuration would do with messages. */
export interface Sending {
  readonly relay: boolean;
  readonly sinks: number;
  readonly unrouted: string;
}

/** Looks for messages that nobody will send. Reads only. */
export async function outboxFindings(tx: Tx, { relay, sinks, unrouted }: Sending): Promise<readonly Finding[]> {
  const topics = (await unroutedTopics(tx)).filter(({ topic }) => !callsOfStripe.has(topic));
  const { pending, oldestPendingSeconds, needsReview } = await outboxTotals(tx);
  const findings: Finding[] = [];
  if (topics.length > 0) {
    const named = topics.map(({ topic, messages }) => `${topic} (${count(messages)})`).join(', ');
    const advice = `They wait until a sink takes their topic: docs/outbox.md. Or give them up: ${typed('outbox')}`;
    findings.push(wrong('outbox', `no sink takes ${named}`, advice));
  }
  const sendsNothing = !relay || (sinks === 0 && unrouted === 'keep');
  if (pending > 0 && sendsNothing) {
    const why = relay ? 'there is no sink in this configuration' : 'OUTBOX_RELAY is off in this configuration';
    const age = spanOf(oldestPendingSeconds ?? 0);
    const advice = 'Unless other workers send them they gather. docs/outbox.md says how to name a sink.';
    findings.push(note('outbox', `${count(pending)} messages wait, the oldest for ${age}, and ${why}`, advice));
  }
  if (needsReview > 0) {
    findings.push(wrong('outbox', `${count(needsReview)} messages need review`, `See ${typed('outbox')}`));
  }
  return findings.length > 0 ? findings : [fine('outbox', 'no message is stuck or without a sink')];
}

/** `stripeFindings` speaks of these. */
const callsOfStripe: ReadonlySet<string> = new Set(['stripe.call', 'stripe.refetch']);
