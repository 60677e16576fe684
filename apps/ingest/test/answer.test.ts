import { describe, expect, it } from 'vitest';
import { answerFor, type ReceiveOutcome } from '../src/answer.ts';

const error = new Error('a defect');
const request = { body: Buffer.alloc(0), headers: new Map() };
const table: readonly (readonly [ReceiveOutcome, number])[] = [
  [{ outcome: 'stored', stored: 1, duplicates: 0, quarantined: 0 }, 200],
  [{ outcome: 'stored', stored: 0, duplicates: 1, quarantined: 0 }, 200],
  [{ outcome: 'stored', stored: 1, duplicates: 0, quarantined: 1 }, 200],
  [{ outcome: 'handshake', name: 'ping', answer: { status: 200 } }, 200],
  [{ outcome: 'unverifiable', detail: '' }, 503],
  [{ outcome: 'rejected', reason: 'signature_missing', detail: 'no header', request }, 401],
  [{ outcome: 'unknown_endpoint' }, 404],
  [{ outcome: 'too_slow' }, 408],
  [{ outcome: 'too_large' }, 413],
  [{ outcome: 'shutting_down' }, 503],
  [{ outcome: 'overloaded' }, 503],
  [{ outcome: 'deadline_passed' }, 503],
  [{ outcome: 'database_failed', errorClass: 'connection', error }, 503],
  [{ outcome: 'fault', error }, 503],
];

describe('answerFor', () => {
  it.each(table)('answers %j with %d', (outcome, status) => {
    expect(answerFor(outcome).status).toBe(status);
  });

  it.each(table.filter(([, status]) => status === 503))('says when to come back after %j', (outcome) => {
    expect(answerFor(outcome).headers).toEqual({ 'Retry-After': '5' });
  });

  it('answers what is stored and what is asked as the provider wants to hear it', () => {
    const accepted = { status: 200, body: '[accepted]', contentType: 'text/plain' };
    const shown = { status: 200, body: '[accepted]', headers: { 'Content-Type': 'text/plain' } };
    expect(answerFor({ outcome: 'stored', stored: 1, duplicates: 0, quarantined: 0 }, accepted)).toEqual(shown);
    expect(answerFor({ outcome: 'handshake', name: 'challenge', answer: accepted })).toEqual(shown);
    expect(answerFor({ outcome: 'overloaded' }, accepted).body).toBeUndefined();
  });

  it('never says why a delivery was refused', () => {
    for (const [outcome] of table) expect(answerFor(outcome).body).toBeUndefined();
  });
});
