import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ShopifyOrder {
  /** Beyond 2^53, as Shopify's may be: it is written as a number, digit by digit. */
  readonly id: bigint;
  readonly updated_at: string;
  readonly [field: string]: unknown;
}

export interface ShopifyWebhook {
  readonly id: number;
  readonly topic: string;
  readonly address: string;
}

export interface ShopifyFake {
  readonly url: string;
  readonly orders: Map<bigint, ShopifyOrder>;
  readonly webhooks: ShopifyWebhook[];
  /** The paths with their queries, in the order of arrival. */
  readonly calls: readonly string[];
  /** So many of the next calls are answered 429, `Retry-After: 0`. */
  readonly refuse: (calls: number) => void;
  readonly close: () => Promise<void>;
}

export const shopifyToken = 'shpat_ofTheFake';

/** Shopify's `orders.json` and `webhooks.json` on loopback: token, filters by `updated_at`, pages by the `Link` header. */
export async function startShopifyFake({ pageSize = 2 } = {}): Promise<ShopifyFake> {
  const orders = new Map<bigint, ShopifyOrder>();
  const webhooks: ShopifyWebhook[] = [];
  const calls: string[] = [];
  let refusals = 0;

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    calls.push(`${url.pathname}${url.search}`);
    if (request.headers['x-shopify-access-token'] !== shopifyToken) return void response.writeHead(401).end('{}');
    if (refusals > 0) {
      refusals -= 1;
      return void response.writeHead(429, { 'retry-after': '0' }).end('{}');
    }
    const resource = /\/admin\/api\/\d{4}-\d\d\/(orders|webhooks)\.json$/.exec(url.pathname)?.[1];
    if (resource === undefined) return void response.writeHead(404).end('{}');
    const all = resource === 'orders' ? ordersOf(url.searchParams) : webhooks;
    const from = Number(url.searchParams.get('page_info') ?? 0);
    const more = all.length > from + pageSize;
    if (more) {
      url.searchParams.set('page_info', String(from + pageSize));
      response.setHeader('link', `<${url.href}>; rel="next"`);
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(written({ [resource]: all.slice(from, from + pageSize) }));
  };

  const ordersOf = (params: URLSearchParams): readonly ShopifyOrder[] => {
    const [min, max] = [params.get('updated_at_min'), params.get('updated_at_max')].map((at) => Date.parse(at ?? ''));
    return [...orders.values()]
      .filter(({ updated_at }) => !(Date.parse(updated_at) < (min ?? 0)) && !(Date.parse(updated_at) > (max ?? 0)))
      .toSorted((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at));
  };

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    webhooks,
    calls,
    refuse: (many) => void (refusals = many),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function written(body: unknown): string {
  return JSON.stringify(body, (_key, at: unknown) => (typeof at === 'bigint' ? JSON.rawJSON(`${at}`) : at));
}
