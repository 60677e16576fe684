import type { ClaimedEvent } from '@mailroom/inbox';
import { describe, expect, it } from 'vitest';
import { createClaimQueue } from '../src/claim-queue.ts';

describe('the queue of claimed rows', () => {
  it('gives each row a batch of its own while there is a slot for every one', () => {
    const queue = createClaimQueue({ slots: 4, batchRows: 50 });
    queue.push(events(4));
    expect([queue.take(), queue.take(), queue.take(), queue.take(), queue.take()].map((batch) => batch.length)).toEqual(
      [1, 1, 1, 1, 0],
    );
  });

  it('lets a backlog share batches, never larger than allowed, oldest first', () => {
    const queue = createClaimQueue({ slots: 4, batchRows: 50 });
    queue.push(events(120));
    expect(queue.take().map(({ eventId }) => eventId)).toEqual(events(40).map(({ eventId }) => eventId));
    queue.push(events(400, 120));
    expect(queue.take()).toHaveLength(50);
  });

  it('takes endpoints in turn, so that an event of a quiet one is in the next batch whatever a flood of another brought', () => {
    const queue = createClaimQueue({ slots: 4, batchRows: 5 });
    queue.push(events(500).map((flood) => ({ ...flood, endpoint: 'flood' })));
    queue.push([event('quiet', { endpoint: 'quiet' })]);
    expect(queue.take().map(({ eventId }) => eventId)).toContain('quiet');
    expect(queue.waitingCount()).toBe(496);
  });

  it('never has one object in two batches at once, and holds nothing back afterwards', () => {
    const queue = createClaimQueue({ slots: 2, batchRows: 50 });
    queue.push([event('a', { objectKey: 'x' }), event('b', { objectKey: 'x' })]);
    const first = queue.take();
    expect(first).toHaveLength(1);
    expect(queue.take()).toEqual([]);
    queue.release(first, []);
    expect(queue.take().map(({ eventId }) => eventId)).toEqual(['b']);
  });

  it('takes what was tried before alone, so that it costs no neighbour a batch', () => {
    const queue = createClaimQueue({ slots: 1, batchRows: 50 });
    queue.push([event('a'), event('again', { attempts: 2 }), event('b'), event('c'), event('d'), event('e')]);
    const batches = [queue.take(), queue.take(), queue.take(), queue.take()].map((batch) =>
      batch.map(({ eventId }) => eventId),
    );
    expect(batches.find((batch) => batch.includes('again'))).toEqual(['again']);
  });

  it('knows everything that is held, and gives back only what has not begun', () => {
    const queue = createClaimQueue({ slots: 1, batchRows: 50 });
    queue.push(events(3));
    const batch = queue.take();
    expect(queue.held()).toHaveLength(3);
    expect(queue.clear()).toHaveLength(3 - batch.length);
    queue.release(batch, batch);
    expect([queue.heldCount(), queue.waitingCount()]).toEqual([batch.length, batch.length]);
  });
});

function events(count: number, from = 0): ClaimedEvent[] {
  return Array.from({ length: count }, (_, n) => event(`evt_${from + n}`));
}

function event(eventId: string, differing: Partial<ClaimedEvent> = {}): ClaimedEvent {
  return {
    provider: 'stripe',
    endpoint: 'billing',
    eventId,
    eventType: 't',
    objectKey: null,
    attempts: 1,
    maxAttempts: 3,
    infraRetries: 0,
    leaseToken: 'token',
    failureGroup: null,
    availableAt: new Date(0),
    suspect: false,
    ...differing,
  };
}
