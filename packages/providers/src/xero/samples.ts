import { createHash } from 'node:crypto';
import type { Sample } from '../provider.ts';

/** An invoice is made and changed. Written for Mailroom from the documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  'INVOICE.CREATE': sample('CREATE', 0),
  'INVOICE.UPDATE': sample('UPDATE', 60_000),
};

function sample(eventType: string, laterMs: number): Sample {
  return {
    eventType: `INVOICE.${eventType}`,
    body: ({ tag, nowMs }) => ({
      events: [
        {
          resourceUrl: `https://api.xero.com/api.xro/2.0/Invoices/${idOf(tag)}`,
          resourceId: idOf(tag),
          eventDateUtc: new Date(nowMs + laterMs).toISOString().slice(0, -1),
          eventType,
          eventCategory: 'INVOICE',
          tenantId: idOf('tenant'),
          tenantType: 'ORGANISATION',
        },
      ],
      firstEventSequence: 1,
      lastEventSequence: 1,
      entropy: tag,
    }),
  };
}

function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
