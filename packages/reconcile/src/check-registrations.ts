import type { Database } from '@mailroom/db';
import { textAt } from './api-client.ts';
import { closeUnseen, noteFindings, type Seen } from './note-findings.ts';
import type { Runner } from './runner.ts';
import { type ProviderAccess, webhookUrl } from './sources.ts';
import { samePlace, stripeRegistrations } from './stripe/stripe-registrations.ts';

export interface RegistrationResult {
  readonly provider: string;
  readonly endpoint: string;
  readonly url: string;
  /** Registrations that point here. */
  readonly registered: number;
  readonly wrong: readonly Seen[];
  readonly opened: readonly Seen[];
}

/**
 * Looks whether the provider still has a registration that points at the endpoint, enabled and for the types it should be for. What is
 * wrong is a finding; what is right again closes it. There is no repair: who registers decides what is sent.
 */
export async function checkRegistrations(
  access: Exclude<ProviderAccess, { readonly kind: 'none' }>,
  { database, runner, publicUrl }: { readonly database: Database; readonly runner: Runner; readonly publicUrl: string },
): Promise<RegistrationResult> {
  const { provider, endpoint } = access.endpoint;
  const url = webhookUrl(publicUrl, access.endpoint);
  const { registered, problems } =
    access.kind === 'stripe' ? await atStripe(access, url) : await atShopify(access, url, database);
  const wrong = problems.map(
    ({ kind, theirs }): Seen => ({
      provider,
      endpoint,
      account: null,
      kind,
      objectKey: url,
      ours: url,
      theirs,
      repair: null,
    }),
  );
  const opened = await database.kysely.transaction().execute(async (tx) => {
    await runner.renewIn(tx);
    const noted = await noteFindings(tx, wrong);
    const at = { provider, endpoint, account: null };
    await closeUnseen(tx, at, { kinds: registrationKinds, objectKeys: [url] }, wrong);
    return noted;
  });
  return { provider, endpoint, url, registered, wrong, opened };
}

interface Verdict {
  readonly registered: number;
  readonly problems: readonly { readonly kind: (typeof registrationKinds)[number]; readonly theirs: string }[];
}

const registrationKinds = ['registration_missing', 'registration_disabled', 'registration_incomplete'] as const;

async function atStripe(access: Extract<ProviderAccess, { readonly kind: 'stripe' }>, url: string): Promise<Verdict> {
  const registrations = await stripeRegistrations(access.api, url);
  const enabled = registrations.filter((registration) => registration.enabled);
  const registered = registrations.length;
  if (registered === 0) return { registered, problems: [missing] };
  const [first] = registrations;
  if (enabled.length === 0) {
    return { registered, problems: [{ kind: 'registration_disabled', theirs: `${first?.id ?? ''} is disabled` }] };
  }
  const asked = enabled.some(({ types }) => types === null)
    ? null
    : new Set(enabled.flatMap(({ types }) => types ?? []));
  const wanted = access.endpoint.reconcile?.types ?? [];
  const without = asked === null ? [] : wanted.filter((type) => !type.endsWith('*') && !asked.has(type));
  return { registered, problems: incomplete(without) };
}

/**
 * Shopify deletes a registration after eight failures in a row, topic by topic. Which topics there should be is told by what has come
 * in the last month.
 */
async function atShopify(
  access: Extract<ProviderAccess, { readonly kind: 'shopify' }>,
  url: string,
  { pool }: Database,
): Promise<Verdict> {
  const topics = new Set<string>();
  for await (const page of access.api.list('webhooks')) {
    for (const webhook of page) if (samePlace(textAt(webhook, 'address'), url)) topics.add(textAt(webhook, 'topic'));
  }
  if (topics.size === 0) return { registered: 0, problems: [missing] };
  const { rows } = await pool.query<{ type: string }>(
    'select distinct event_type as type from inbox_arrivals where provider = $1 and endpoint = $2 order by 1',
    [access.endpoint.provider, access.endpoint.endpoint],
  );
  const without = rows.map(({ type }) => type).filter((type) => !topics.has(type) && !notListed.test(type));
  return { registered: topics.size, problems: incomplete(without) };
}

// Set in the app's own configuration, so no API lists them.
const notListed = /^(customers\/(redact|data_request)|shop\/redact)$/;

const missing = { kind: 'registration_missing', theirs: 'no registration points there' } as const;

function incomplete(types: readonly string[]): Verdict['problems'] {
  if (types.length === 0) return [];
  return [{ kind: 'registration_incomplete', theirs: `not registered: ${types.join(', ')}`.slice(0, 2000) }];
}
