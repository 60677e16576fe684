import { describe, expect, test } from 'vitest';
import { schemeOf } from '../src/index.ts';
import { request } from './request.ts';
import { fixture, fixturesAreAbsent } from './shared-fixtures.ts';

const context = { deliveryId: 'd1', secret: { label: 'only', value: 'zoom-secret' } };

describe('handshakes', () => {
  test('GitHub: a ping is answered and not stored', () => {
    const ping = request(Buffer.from('{"zen":"Half measures are as bad as nothing at all.","hook_id":1}'), {
      'x-github-event': 'ping',
      'x-github-delivery': 'd',
    });
    expect(schemeOf('github').read(ping, context)).toEqual({
      outcome: 'handshake',
      name: 'ping',
      answer: { status: 200 },
    });
  });

  test('Slack: the challenge comes back as it is, as text', () => {
    expect(read('slack', { type: 'url_verification', challenge: '<b>3eZbrw1a"' })).toEqual({
      outcome: 'handshake',
      name: 'url_verification',
      answer: { status: 200, body: '<b>3eZbrw1a"', contentType: 'text/plain; charset=utf-8' },
    });
  });

  test('a challenge without its text is kept for a person, not answered', () => {
    expect(read('slack', { type: 'url_verification' })).toMatchObject({ events: [{ eventType: 'url_verification' }] });
    expect(read('zoom', { event: 'endpoint.url_validation', payload: {} })).toMatchObject({ outcome: 'events' });
  });

  test('Zoom: an old delivery that is read again without its secret answers nothing', () => {
    const validation = { event: 'endpoint.url_validation', payload: { plainToken: 'x' } };
    const again = schemeOf('zoom').read(request(Buffer.from(JSON.stringify(validation)), {}), {
      deliveryId: 'd2',
      secret: null,
    });
    expect(again.outcome).toBe('events');
  });

  test('Xero: intent to receive is answered with nothing but 200', () => {
    const intent = { events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: 'S0M3R4ND0M' };
    expect(read('xero', intent)).toEqual({ outcome: 'handshake', name: 'empty_batch', answer: { status: 200 } });
  });

  test.skipIf(fixturesAreAbsent)('Zoom: the token comes back with its HMAC, as in the documentation', () => {
    const reading = schemeOf('zoom').read(request(fixture('zoom/endpoint.url_validation.json'), {}), context);
    expect(reading).toMatchObject({
      outcome: 'handshake',
      name: 'url_validation',
      answer: { contentType: 'application/json' },
    });
    const body = reading.outcome === 'handshake' ? reading.answer.body : undefined;
    expect(JSON.parse(body ?? '')).toEqual({
      plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
      encryptedToken: 'b17f0320a1322a509340a1a835b3d9edbc491f0b0790ed2d20d0604d39dfe922',
    });
  });
});

function read(provider: string, body: unknown) {
  return schemeOf(provider).read(request(Buffer.from(JSON.stringify(body)), {}), context);
}
