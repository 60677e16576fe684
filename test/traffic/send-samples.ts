import { type Answer, post } from './post.ts';
import { signStripe } from './sign-stripe.ts';
import {
  bodyOf,
  freshId,
  type InvoiceEventType,
  invoiceAt,
  invoiceEventTypes,
  type StripeEvent,
} from './stripe-events.ts';
import type { Target } from './target.ts';

/** Deliveries under way at once. */
const atOnce = 20;

/** Posts `count` samples, each a new event, and says what came back; whether every answer was 200. */
export async function sendSamples(
  target: Target,
  type: string,
  count: number,
  print: (text: string) => void,
): Promise<boolean> {
  const answers: Answer[] = [];
  let underWay = 0;
  const sender = async (): Promise<void> => {
    while (answers.length + underWay < count) {
      underWay += 1;
      const event = sampleEvent(type);
      const answer = await sendOne(target, event);
      underWay -= 1;
      answers.push(answer);
      if (count === 1) print(`${answer}  stripe/${target.endpoint}/${event.id}  ${type}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, sender));
  if (count > 1) {
    for (const [answer, of] of Map.groupBy(answers, (each) => each)) print(`${of.length} x ${answer}`);
  }
  return answers.every((answer) => answer === 200);
}

async function sendOne(target: Target, event: StripeEvent): Promise<Answer> {
  const body = bodyOf(event);
  return await post(target.url, body, { 'stripe-signature': signStripe(body, target.secret, Date.now()) });
}

function sampleEvent(type: string): StripeEvent {
  const invoice = isInvoiceType(type) ? invoiceAt(type, { id: freshId('in') }) : null;
  return { id: freshId('evt'), type, created: Math.floor(Date.now() / 1000), invoice };
}

function isInvoiceType(type: string): type is InvoiceEventType {
  return (invoiceEventTypes as readonly string[]).includes(type);
}
