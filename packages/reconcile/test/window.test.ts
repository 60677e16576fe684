import { describe, expect, test } from 'vitest';
import { windowOf } from '../src/cursor.ts';

const now = new Date('2026-11-30T12:34:56Z');
const stripe = { reachMs: 30 * 86_400_000 };
const plain = { since: null, until: null, now, ledgerRetentionDays: 90 };
const at = (text: string) => new Date(text);

describe('what a sweep looks at', () => {
  test('at first: three days, up to five minutes ago', () => {
    expect(windowOf(stripe, null, plain)).toEqual({
      since: at('2026-11-27T12:00:00Z'),
      until: at('2026-11-30T12:29:56Z'),
    });
  });

  test('then: whole hours, from an hour before the last one ended', () => {
    const { since } = windowOf(stripe, at('2026-11-30T11:15:00Z'), plain);
    expect(since).toEqual(at('2026-11-30T10:00:00Z'));
  });

  test('what was asked for, in whole hours', () => {
    const asked = { ...plain, since: at('2026-11-29T06:30:00Z'), until: at('2026-11-29T09:00:00Z') };
    expect(windowOf(stripe, at('2026-11-30T11:15:00Z'), asked)).toEqual({
      since: at('2026-11-29T06:00:00Z'),
      until: at('2026-11-29T09:00:00Z'),
    });
  });

  test('nothing that may still be on its way', () => {
    expect(windowOf(stripe, null, { ...plain, until: now }).until).toEqual(at('2026-11-30T12:29:56Z'));
  });

  test('no half hour at the edge of what the provider tells, and nothing that the ledger has forgotten', () => {
    const since = at('2026-01-01T00:00:00Z');
    expect(windowOf(stripe, null, { ...plain, since }).since).toEqual(at('2026-10-31T13:00:00Z'));
    const short = { ...plain, since, ledgerRetentionDays: 7 };
    expect(windowOf(stripe, null, short).since).toEqual(at('2026-11-23T13:00:00Z'));
  });

  test('an empty span where all of it is too near', () => {
    const { since, until } = windowOf(stripe, null, { ...plain, since: at('2026-11-30T13:00:00Z') });
    expect(until).toEqual(since);
  });
});
