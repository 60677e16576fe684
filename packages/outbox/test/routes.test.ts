import { expect, it } from 'vitest';
import { sinkLookup } from '../src/routes.ts';
import type { Sink } from '../src/sink.ts';

const sink = (name: string): Sink => ({ name, send: () => Promise.resolve({ outcome: 'sent' }) });

it('the most specific route takes a topic, and what nobody may take is left, whatever a wider route says', () => {
  const find = sinkLookup([
    { topics: ['*'], sink: sink('all') },
    { topics: ['invoice.*'], sink: sink('invoices') },
    { topics: ['invoice.paid'], sink: sink('paid') },
    { topics: ['stripe.call', 'secret.*'], sink: null },
  ]);
  expect(['a', 'invoice.voided', 'invoice.paid', 'stripe.calls'].map((topic) => find(topic)?.name)).toEqual([
    'all',
    'invoices',
    'paid',
    'all',
  ]);
  expect(['stripe.call', 'secret.x'].map(find)).toEqual([undefined, undefined]);
});
