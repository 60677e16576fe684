import type { Delivery, Receipt, Receiver } from '@mailroom/inbox';
import type pg from 'pg';

/** What stands in for Mailroom's receiver: nothing, one INSERT a delivery, or one INSERT for all that wait. */
export type FloorKind = 'no database' | 'one row' | 'one row, jsonb' | 'multi-row';

const stored: Receipt = { stored: 1, duplicates: 0 };

export function floorReceiver(kind: FloorKind, pool: pg.Pool): Receiver {
  const close = () => Promise.resolve();
  switch (kind) {
    case 'no database':
      return { receive: () => Promise.resolve(stored), close };
    case 'one row':
      return { receive: (delivery) => insertOne(pool, delivery), close };
    case 'one row, jsonb':
      return { receive: (delivery) => insertOneJsonb(pool, delivery), close };
    case 'multi-row':
      return { receive: gathering((deliveries) => insertMany(pool, deliveries)), close };
  }
}

async function insertOne(pool: pg.Pool, { events: [event], body }: Delivery): Promise<Receipt> {
  await pool.query({
    name: 'floor_one',
    text: 'insert into floor_receipt (event_id, event_type, body) values ($1, $2, $3) on conflict do nothing',
    values: [event?.eventId, event?.eventType, body],
  });
  return stored;
}

async function insertOneJsonb(pool: pg.Pool, { events: [event], body }: Delivery): Promise<Receipt> {
  await pool.query({
    name: 'floor_one_jsonb',
    text: 'insert into floor_receipt_jsonb (event_id, event_type, payload) values ($1, $2, $3) on conflict do nothing',
    values: [event?.eventId, event?.eventType, body.toString()],
  });
  return stored;
}

async function insertMany(pool: pg.Pool, deliveries: readonly Delivery[]): Promise<void> {
  const rows = deliveries.map((_, at) => `($${at * 3 + 1}, $${at * 3 + 2}, $${at * 3 + 3})`);
  await pool.query({
    // A shape of its own for each number of rows, so that each is planned once a connection.
    name: `floor_${deliveries.length}`,
    text: `insert into floor_receipt (event_id, event_type, body) values ${rows.join(', ')} on conflict do nothing`,
    values: deliveries.flatMap(({ events: [event], body }) => [event?.eventId, event?.eventType, body]),
  });
}

/** Gathers while writes are in flight, without a timer: what Mailroom does, with nothing around it. */
function gathering(write: (deliveries: readonly Delivery[]) => Promise<void>): Receiver['receive'] {
  const waiting: { delivery: Delivery; resolve: (receipt: Receipt) => void; reject: (error: unknown) => void }[] = [];
  let inFlight = 0;
  return (delivery) => {
    const answer = new Promise<Receipt>((resolve, reject) => {
      waiting.push({ delivery, resolve, reject });
    });
    startWrites();
    return answer;
  };

  function startWrites(): void {
    while (waiting.length > 0 && inFlight < writesInFlight) {
      const group = waiting.splice(0, Math.min(maxRows, Math.ceil(waiting.length / (writesInFlight - inFlight))));
      inFlight += 1;
      void write(group.map(({ delivery }) => delivery))
        .then(
          () => group.forEach(({ resolve }) => resolve(stored)),
          (error: unknown) => group.forEach(({ reject }) => reject(error)),
        )
        .finally(() => {
          inFlight -= 1;
          startWrites();
        });
    }
  }
}

const writesInFlight = 3;
const maxRows = 64;
