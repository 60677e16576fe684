import { expect, test } from 'vitest';
import type { EventRow } from '../src/queries/event-row.ts';
import { whyNotRunning } from '../src/story/why-not-running.ts';

const parked = { provider: 'stripe', eventType: 'invoice.sent', state: 'parked', stateReason: null } as EventRow;

test('a parked event whose handler is begun and not written is told what stands in the handler', () => {
  const begun = [{ provider: 'stripe', eventType: 'invoice.sent', parked: 'waits for the books of January' }];
  expect(whyNotRunning(parked, null, begun).text).toContain('One is begun, in which stands: waits for the books of');
  expect(whyNotRunning({ ...parked, provider: 'acme' }, null, begun).text).not.toContain('begun');
});
