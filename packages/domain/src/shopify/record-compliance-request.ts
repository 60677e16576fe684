import type { Tx } from '@mailroom/db';
import { sql } from 'kysely';
import type { HandledEvent } from '../handler.ts';
import { tellOnce } from '../tell-once.ts';

export interface ComplianceRequest {
  /** From the signed body: a header that nobody signed must not have a shop's data deleted. */
  readonly shop: string;
  readonly kind: 'customers/data_request' | 'customers/redact' | 'shop/redact';
  readonly customerId: bigint | null;
  readonly providerRequestId: bigint | null;
  readonly orders: readonly bigint[];
}

/**
 * Records what is asked for and until when, and tells it once. However many deliveries say it, one request stays open, due 30
 * days after the first of them was received (shopify.dev, "Privacy law compliance"). Doing it is a person's act, recorded in
 * `done_at` and `done_by`: what has to go lies in stored deliveries too, and a handler that deleted those would delete the proof
 * of what it was told.
 */
export async function recordComplianceRequest(tx: Tx, event: HandledEvent, request: ComplianceRequest): Promise<void> {
  const { shop, kind, customerId, providerRequestId } = request;
  const orders = request.orders.toSorted((a, b) => (a < b ? -1 : 1)).map(String);
  const dueAt = new Date(event.receivedAt.getTime() + thirtyDaysMs);
  const written = await tx
    .insertInto('compliance_requests')
    .values({ shop, kind, customer_id: customerId, provider_request_id: providerRequestId, orders, due_at: dueAt })
    .onConflict((conflict) =>
      conflict
        .columns(['shop', 'kind', 'customer_id', 'provider_request_id', 'orders'])
        .where('done_at', 'is', null)
        .doUpdateSet((eb) => ({ due_at: eb.ref('excluded.due_at') }))
        .where(sql<boolean>`compliance_requests.due_at > excluded.due_at`),
    )
    .returning('request_id')
    .executeTakeFirst();
  if (!written) return;
  await tellOnce(tx, {
    topic: 'compliance.requested',
    aggregate: `shopify:shop:${shop}`,
    fact: `request ${written.request_id}`,
    payload: { request: written.request_id, shop, kind, due_at: dueAt.toISOString() },
    source: event,
  });
}

const thirtyDaysMs = 30 * 24 * 3_600_000;
