import { describe, expect, it } from 'vitest';
import { readHeaders } from '../src/request-headers.ts';

describe('readHeaders', () => {
  it('keeps every line of a repeated header apart and in order, whatever its case', () => {
    const headers = readHeaders(['Stripe-Signature', 'old', 'Host', 'a', 'stripe-signature', 'new']);
    expect(headers.get('stripe-signature')).toEqual(['old', 'new']);
    expect(headers.get('host')).toEqual(['a']);
  });

  it('keeps a bounded number of lines of one name', () => {
    const headers = readHeaders(Array.from({ length: 1_000 }, () => ['x', 'y']).flat());
    expect(headers.get('x')).toHaveLength(16);
  });

  it('takes __proto__ for a name like any other', () => {
    expect(readHeaders(['__proto__', 'a']).get('__proto__')).toEqual(['a']);
  });
});
