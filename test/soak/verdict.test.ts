import { describe, expect, it } from 'vitest';
import { compare, differencesOf, type FoundRows } from '../traffic/compare.ts';
import { good } from '../traffic/storm-delivery.ts';
import { invoiceAt, type StripeEvent } from '../traffic/stripe-events.ts';
import type { SenderBooks } from './sender.ts';
import { checkDuplicates, expectedAfterRestarts } from './verdict.ts';

const paid = event('evt_run_1', true);
const unknown = event('evt_run_2', false);

describe('the count of duplicates after restarts', () => {
  const kill = { name: 'ingest-1', signal: 'SIGKILL', atMs: 10_000 } as const;

  it('accepts every duplicate counted, and one more for each answer that was lost', () => {
    expect(checkDuplicates(counted(1), books({ acknowledged: 2, posts: 2 }), [], 0).problems).toEqual([]);
    expect(checkDuplicates(counted(2), books({ acknowledged: 2, posts: 3 }), [], 0).problems).toEqual([]);
  });

  it('names an event that counts more duplicates than it was posted again', () => {
    const { problems } = checkDuplicates(counted(2), books({ acknowledged: 2, posts: 2 }), [], 0);
    expect(problems).toEqual(['evt_run_1 counts 2 duplicates, but was posted 2 times in all']);
  });

  it('accepts as missing what an ingestor said it could not write', () => {
    expect(checkDuplicates(counted(0), books({ acknowledged: 2, posts: 2 }), [], 1).problems).toEqual([]);
  });

  it('names what is missing, unless an ingestor was killed just after it had acknowledged it', () => {
    const twice = books({ acknowledged: 2, posts: 2, duplicateAtMs: 9_500 });
    expect(checkDuplicates(counted(0), twice, [], 0).problems).toHaveLength(1);
    expect(checkDuplicates(counted(0), twice, [kill], 0)).toMatchObject({ mayBeLost: 1, problems: [] });
    expect(checkDuplicates(counted(0), twice, [{ ...kill, atMs: 20_000 }], 0).problems).toHaveLength(1);
    expect(checkDuplicates(counted(0), twice, [{ ...kill, signal: 'SIGTERM' }], 0).problems).toHaveLength(1);
    expect(checkDuplicates(counted(0), twice, [{ ...kill, name: 'worker-1' }], 0).problems).toHaveLength(1);
  });
});

describe('the expectation after restarts', () => {
  it('lets an event without a handler have met a worker that died, and nothing else differ', () => {
    const wanted = new Map([
      ['webhook_inbox', expectedAfterRestarts([good(unknown)]).get('webhook_inbox') ?? new Map()],
    ]);
    const row = { event_type: unknown.type, object_key: 'sample/obj_sample', livemode: 'false', state: 'parked' };
    const died = inbox({ ...row, last_error: 'some', failures: 'some' });
    expect(differencesOf(compare(wanted, died))).toEqual([]);
    const processed = inbox({ ...row, state: 'processed' });
    expect(differencesOf(compare(wanted, processed))).toMatchObject([{ key: unknown.id, kind: 'different' }]);
  });

  it('compares every table but that of the duplicates', () => {
    expect([...expectedAfterRestarts([good(paid), good(paid)]).keys()]).toEqual([
      'webhook_inbox',
      'webhook_delivery',
      'invoices',
      'ledger_entries',
      'outbox',
      'anomalies',
    ]);
  });
});

function event(id: string, known: boolean): StripeEvent {
  const invoice = known ? invoiceAt('invoice.paid', { id: 'in_run_1' }) : null;
  return { id, type: known ? 'invoice.paid' : 'tax.settings.updated', created: 1_790_000_000, invoice };
}

function counted(count: number): FoundRows {
  return count === 0 ? new Map() : new Map([[paid.id, [{ count: String(count) }]]]);
}

function inbox(row: Readonly<Record<string, string>>): ReadonlyMap<string, FoundRows> {
  return new Map([['webhook_inbox', new Map([[unknown.id, [row]]])]]);
}

function books(of: { acknowledged: number; posts: number; duplicateAtMs?: number }): SenderBooks {
  return {
    answered: Array.from({ length: of.acknowledged }, () => good(paid)),
    posts: new Map([[paid.id, of.posts]]),
    duplicatesAtMs: [of.duplicateAtMs ?? 0],
    answers: new Map(),
    problems: [],
  };
}
