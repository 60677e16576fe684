import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeAccount, type FakeAccount } from './fake-account.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';
import { createFaults, type Faults } from './faults.ts';
import { type Call, createRouter } from './router.ts';
import { createWebhookSender, type Destination, type WebhookSender } from './webhook-sender.ts';

export interface StripeFake {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** For the SDK: `new Stripe('sk_test_fake', fake.sdk)`. */
  readonly sdk: { readonly host: string; readonly port: number; readonly protocol: 'http'; readonly telemetry: false };
  readonly clock: FakeClock;
  /** The platform's data, or a connected account's, which exists from then on. */
  readonly account: (id?: string) => FakeAccount;
  /** Registers a webhook endpoint: listed by `/v1/webhook_endpoints`, sent to by the sender. */
  readonly endpoint: (destination: Omit<Destination, 'id'>) => Destination;
  readonly sender: WebhookSender;
  readonly faults: Faults;
  /** Every call in the order of arrival, the answer's status included. */
  readonly calls: readonly Call[];
  /** The writes that were really carried out: `POST /v1/refunds`. A replayed answer is none. */
  readonly effects: readonly string[];
  /** At most so many calls a second of the clock; others get 429. null: no limit. */
  readonly limitRate: (perSecond: number | null) => void;
  readonly close: () => Promise<void>;
}

/** A Stripe API on loopback with data of its own, a clock that is moved by hand, and a sender of webhooks. */
export async function startStripeFake(options: { clock?: FakeClock; port?: number } = {}): Promise<StripeFake> {
  const clock = options.clock ?? createFakeClock();
  const { sender, publish } = createWebhookSender(clock);
  const faults = createFaults();
  const accounts = new Map<string | null, FakeAccount>();
  let ids = 0;
  const surroundings = { clock, nextId: (prefix: string) => `${prefix}_fake${(ids += 1)}`, onEvent: publish };
  const account = (id: string | null = null): FakeAccount => {
    const known = accounts.get(id);
    if (known) return known;
    const made = createFakeAccount(id, surroundings);
    accounts.set(id, made);
    if (id !== null) account().put('accounts', { id });
    return made;
  };
  const router = createRouter({ clock, faults, sender, account: (id) => (id ? accounts.get(id) : account()) });
  const server = createServer((request, response) => void router.handle(request, response));
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    sdk: { host: '127.0.0.1', port, protocol: 'http', telemetry: false },
    clock,
    account,
    endpoint: ({ url, secret, types, connect }) => {
      const { id } = account().put('webhook_endpoints', { url, enabled_events: types ?? ['*'], status: 'enabled' });
      const destination = { id, url, secret, ...(types && { types }), ...(connect && { connect }) };
      sender.register(destination);
      return destination;
    },
    sender,
    faults,
    calls: router.calls,
    effects: router.effects,
    limitRate: router.limitRate,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await sender.idle();
    },
  };
}
