import { asObject, CodedError } from '@mailroom/kernel';
import { type ApiClient, type JsonObject, objectsIn } from '../api-client.ts';

export type ShopifyObject = JsonObject;

/** Shopify's Admin REST lists, page by page. */
export interface ShopifyApi {
  list(resource: string, params?: Readonly<Record<string, string>>): AsyncIterable<readonly ShopifyObject[]>;
}

/** Pages are linked by the `Link` header (shopify.dev, "Paginated REST results"). */
export function shopifyApi(client: ApiClient): ShopifyApi {
  return { list };

  async function* list(resource: string, params: Readonly<Record<string, string>> = {}) {
    const search = new URLSearchParams({ ...params, limit: '250' });
    let path: string | null = `/admin/api/${apiVersion}/${resource}.json?${search.toString()}`;
    while (path !== null) {
      const { body, headers }: Awaited<ReturnType<ApiClient['get']>> = await client.get(path);
      const page = objectsIn(asObject(body)?.[resource]);
      if (page === null) {
        throw new CodedError('provider_refused', `Shopify's answer to GET ${resource}.json holds no ${resource}`);
      }
      if (page.length > 0) yield page;
      path = nextPage(headers.get('link'));
    }
  }
}

export const apiVersion = '2026-10';

function nextPage(link: string | null): string | null {
  return /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1] ?? null;
}
