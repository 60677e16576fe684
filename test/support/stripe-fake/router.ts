import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { FakeAccount } from './fake-account.ts';
import type { FakeClock } from './fake-clock.ts';
import type { Fault, Faults } from './faults.ts';
import { createIdempotencyKeys } from './idempotency-keys.ts';
import { listPage } from './list-page.ts';
import { fieldsOf, type Params, readParams } from './params.ts';
import { resources } from './resources.ts';
import { type Answer, noSuch, stripeError } from './stripe-error.ts';
import type { WebhookSender } from './webhook-sender.ts';
import { write } from './write.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly account: string | null;
  readonly apiVersion: string | null;
  readonly idempotencyKey: string | null;
  readonly params: Params;
  /** null: no answer yet, or the connection was cut. */
  status: number | null;
  replayed: boolean;
}

interface Surroundings {
  readonly clock: FakeClock;
  readonly faults: Faults;
  readonly sender: WebhookSender;
  readonly account: (id: string | null) => FakeAccount | undefined;
}

/** Answers one request after another: who calls, the limit, scripted faults, idempotency keys, then the call itself. */
export function createRouter({ clock, faults, sender, account: accountOf }: Surroundings) {
  const calls: Call[] = [];
  const effects: string[] = [];
  const withKey = createIdempotencyKeys(clock);
  let perSecond: number | null = null;
  let window = { second: 0, used: 0 };

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://fake');
    const header = (name: string) => (request.headers[name] as string | undefined) ?? null;
    const body = await text(request);
    const call: Call = {
      method: request.method ?? 'GET',
      path: pathname,
      account: header('stripe-account'),
      apiVersion: header('stripe-version'),
      idempotencyKey: header('idempotency-key'),
      params: readParams(body || search.slice(1)),
      status: null,
      replayed: false,
    };
    calls.push(call);
    const answer = await answerOf(call, header('authorization'));
    if (answer === 'drop') return void request.socket.destroy();
    call.status = answer.status;
    call.replayed = answer.headers?.['idempotent-replayed'] === 'true';
    const headers = { 'content-type': 'application/json', 'request-id': `req_fake${calls.length}`, ...answer.headers };
    response.writeHead(answer.status, { ...headers, date: new Date(clock.now()).toUTCString() });
    response.end(JSON.stringify(answer.body));
  };

  const answerOf = async (call: Call, authorization: string | null): Promise<Answer | 'drop'> => {
    if (!authorization?.startsWith('Bearer ')) return stripeError(401, { message: 'You did not provide an API key.' });
    const account = accountOf(call.account);
    if (!account) return stripeError(403, { code: 'account_invalid' });
    if (isOverLimit()) return stripeError(429, { code: 'rate_limit' });
    const name = `${call.method} ${call.path}`;
    const arrival = faults.take(name, 'on arrival');
    if (arrival?.answer === 429) return scripted(arrival, 429);
    if (arrival && !arrival.effect) return 'drop';
    const carryOut = async (): Promise<Answer> => {
      const fault = faults.take(name, 'carried out');
      const refused = typeof fault?.answer === 'number' ? scripted(fault, fault.answer) : undefined;
      if (refused && !fault?.effect) return refused;
      const answer = perform(call, account);
      await fault?.until;
      return refused ?? answer;
    };
    const { idempotencyKey: key, method, path, params } = call;
    const answer =
      method === 'POST' && key !== null
        ? await withKey(`${account.id} ${key}`, `${path}?${new URLSearchParams([...params]).toString()}`, carryOut)
        : await carryOut();
    return arrival ? 'drop' : answer;
  };

  const perform = (call: Call, account: FakeAccount): Answer => {
    const { method, path, params, idempotencyKey } = call;
    const [, version, resource = '', id] = path.split('/');
    if (version !== 'v1' || !(resource in resources)) return stripeError(404, { message: `Unrecognized URL ${path}` });
    if (method !== 'GET') {
      const answer = write(account, { method, resource, id, fields: fieldsOf(params), idempotencyKey });
      if (answer.status < 300) effects.push(`${method} ${path}`);
      return answer;
    }
    if (id === 'search') return search(account, resource, params);
    const { isDelivered } = sender;
    if (id === undefined) return listPage(account.all(resource), { resource, params, nowMs: clock.now(), isDelivered });
    const found = account.get(resource, id);
    return found ? { status: 200, body: found } : noSuch(resource, id);
  };

  // Search runs up to a minute behind (docs.stripe.com/search, "Data freshness"): it must never decide whether to call again.
  const search = (account: FakeAccount, resource: string, params: Params): Answer => {
    const [, key = '', value] = /^metadata\['([^']+)'\]:'([^']*)'$/.exec(params.get('query') ?? '') ?? [];
    const isIndexed = (object: Readonly<Record<string, unknown>>) =>
      (Number(object['created']) + 60) * 1000 <= clock.now();
    const data = account
      .all(resource)
      .filter((object) => isIndexed(object) && (object['metadata'] as Record<string, unknown>)[key] === value);
    return { status: 200, body: { object: 'search_result', data, has_more: false, url: `/v1/${resource}/search` } };
  };

  const isOverLimit = () => {
    const second = Math.floor(clock.now() / 1000);
    window = { second, used: window.second === second ? window.used + 1 : 1 };
    return perSecond !== null && window.used > perSecond;
  };

  return { handle, calls, effects, limitRate: (most: number | null) => void (perSecond = most) };
}

function scripted({ code, headers }: Fault, status: number): Answer {
  return stripeError(status, code === undefined ? {} : { code }, headers);
}
