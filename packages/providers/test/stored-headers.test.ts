import { describe, expect, it } from 'vitest';
import { readHeaders } from '../src/request-headers.ts';
import { contentTypeOf, storedHeaders } from '../src/stored-headers.ts';

describe('storedHeaders', () => {
  it('keeps what explains the bytes and finds the request again, and nothing else', () => {
    const headers = readHeaders([
      'Authorization',
      'Basic c2VjcmV0',
      'Cookie',
      'session=1',
      'Stripe-Signature',
      't=1,v1=aa',
      'X-Forwarded-For',
      '192.0.2.1',
      'Content-Type',
      'application/json',
      '__proto__',
      'x',
      'User-Agent',
      'Stripe/1.0',
      'X-Request-Id',
      'a',
      'X-Request-Id',
      'b',
      'Content-Encoding',
      'gzip',
    ]);
    expect(storedHeaders(headers)).toEqual({
      'content-encoding': 'gzip',
      'user-agent': 'Stripe/1.0',
      'x-request-id': 'a, b',
    });
  });

  it('cuts long values, so that a sender cannot fill the table', () => {
    expect(storedHeaders(readHeaders(['User-Agent', 'x'.repeat(9_000)]))['user-agent']).toHaveLength(500);
  });
});

describe('contentTypeOf', () => {
  it('stays within the column, so that a long one cannot make the receipt fail', () => {
    expect(contentTypeOf(readHeaders(['Content-Type', 'x'.repeat(9_000)]))).toHaveLength(255);
  });

  it('is null when there is none', () => {
    expect(contentTypeOf(readHeaders([]))).toBeNull();
  });
});
