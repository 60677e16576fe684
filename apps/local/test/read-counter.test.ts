import { expect, it } from 'vitest';
import { readCounter } from '../src/read-counter.ts';

const text = `# HELP received_total Events.
# TYPE received_total counter
received_total{provider="stripe",endpoint="a b"} 12
received_total{provider="stripe",endpoint="other"} 30
received_total_more 99
plain_total 7
`;

it('adds up a counter over its labels and takes no other for it', () => {
  expect(readCounter(text, 'received_total')).toBe(42);
  expect(readCounter(text, 'plain_total')).toBe(7);
  expect(readCounter(text, 'absent_total')).toBeNull();
});
