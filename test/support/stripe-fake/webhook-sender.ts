import { signStripe } from '../../traffic/sign-stripe.ts';
import { type FakeClock, hourMs } from './fake-clock.ts';
import type { StripeObject } from './resources.ts';

/** An endpoint registration as the sender needs it. */
export interface Destination {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  /** Default: all. */
  readonly types?: readonly string[];
  /** A Connect endpoint gets the events of connected accounts, another one those of the platform. */
  readonly connect?: boolean;
}

export interface WebhookSender {
  readonly register: (destination: Destination) => void;
  readonly unregister: (id: string) => void;
  /** While on, what should be sent is lost: never tried again, still listed by `/v1/events`. An outage longer than the retries. */
  readonly drop: (on: boolean) => void;
  /** While on, what should be sent waits; off sends it in the order that is asked for. */
  readonly hold: (on: boolean, order?: (events: readonly StripeObject[]) => readonly StripeObject[]) => void;
  /** Sends it once more to everyone, as a duplicate or a resend by hand. */
  readonly resend: (event: StripeObject) => void;
  /** Every attempt: the status, or null where there was no answer. */
  readonly attempts: readonly {
    readonly eventId: string;
    readonly destination: string;
    readonly status: number | null;
  }[];
  readonly isDelivered: (eventId: string) => boolean;
  /** Resolves when nothing is on its way. Retries are not: they wait for the clock. */
  readonly idle: () => Promise<void>;
}

/**
 * Sends events as Stripe does: signed anew for every attempt, tried again with growing delays for three days of the clock.
 * Signatures bear the real time, because receivers compare it with theirs.
 */
export function createWebhookSender(clock: FakeClock) {
  const destinations = new Map<string, Destination>();
  const attempts: { eventId: string; destination: string; status: number | null }[] = [];
  const owed = new Map<string, Set<string>>();
  const onTheWay = new Set<Promise<void>>();
  let dropping = false;
  let held: { readonly account: string | null; readonly event: StripeObject }[] | null = null;
  const accountOf = new Map<string, string | null>();

  const attempt = async (to: Destination, event: StripeObject, retries: readonly number[]): Promise<void> => {
    const account = accountOf.get(event.id) ?? null;
    const status = await post(to, Buffer.from(JSON.stringify(account ? { ...event, account } : event, null, 2)));
    attempts.push({ eventId: event.id, destination: to.id, status });
    if (status !== null && status >= 200 && status < 300) return void owed.get(event.id)?.delete(to.id);
    const [delay, ...later] = retries;
    if (delay === undefined) return;
    clock.after(delay, async () => {
      if (destinations.has(to.id) && !dropping) await attempt(to, event, later);
    });
  };

  const send = (event: StripeObject) => {
    const account = accountOf.get(event.id) ?? null;
    const wanted = [...destinations.values()].filter(
      ({ connect = false, types }) =>
        connect === (account !== null) && (types?.includes(String(event['type'])) ?? true),
    );
    owed.set(event.id, new Set([...(owed.get(event.id) ?? []), ...wanted.map(({ id }) => id)]));
    if (dropping) return;
    for (const destination of wanted) {
      const sending = attempt(destination, event, retryDelaysMs).finally(() => onTheWay.delete(sending));
      onTheWay.add(sending);
    }
  };

  const sender: WebhookSender = {
    register: (destination) => void destinations.set(destination.id, destination),
    unregister: (id) => void destinations.delete(id),
    drop: (on) => void (dropping = on),
    hold: (on, order = (events) => events) => {
      const waiting = held?.map(({ event }) => event) ?? [];
      held = on ? (held ?? []) : null;
      if (!on) for (const event of order(waiting)) send(event);
    },
    resend: send,
    attempts,
    isDelivered: (eventId) => (owed.get(eventId)?.size ?? 0) === 0,
    idle: async () => {
      while (onTheWay.size > 0) await Promise.all(onTheWay);
    },
  };
  const publish = (account: string | null, event: StripeObject) => {
    accountOf.set(event.id, account);
    if (held) held.push({ account, event });
    else send(event);
  };
  return { sender, publish };
}

// docs.stripe.com/webhooks: up to three days with exponential back off; the steps are not published.
const retryDelaysMs = [1 / 12, 0.5, 1, 2, 4, 8, 12, 12, 12, 12].map((hours) => hours * hourMs);

async function post({ url, secret }: Destination, body: Buffer): Promise<number | null> {
  const headers = { 'content-type': 'application/json', 'stripe-signature': signStripe(body, secret, Date.now()) };
  try {
    const answer = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers, redirect: 'manual' });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return null;
  }
}
