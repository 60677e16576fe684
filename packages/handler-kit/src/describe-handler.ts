import type { Database } from '@mailroom/db';
import type { EventHandler } from '@mailroom/inbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Mode } from './attempt.ts';
import type { SampleDelivery } from './delivery.ts';
import type { EndState } from './end-state.ts';
import {
  cutAfterEachStatement,
  everyOrder,
  everythingAgain,
  firstRun,
  type Proof,
  type RandomOrders,
  randomOrders,
  randomOrdersTwice,
  sideBySide,
} from './scenarios.ts';
import { once, openStage, type Stage } from './stage.ts';

/** A handler as `defineHandler` makes it. */
export interface ProvenHandler extends EventHandler {
  /** Why it is not written yet. */
  readonly parked?: string;
}

export interface HandlerProofOptions {
  /** The handlers of all the events below. As long as one is parked, only that its events are kept is tested. */
  readonly handlers: readonly ProvenHandler[];
  /** What the provider sends, in the order in which things happened. Best about one object: that is where order matters. */
  readonly deliveries: readonly SampleDelivery[];
  /** The tables or views that the handlers write. The outbox is always compared. */
  readonly tables: readonly string[];
  /**
   * Columns that may differ from run to run, as `column`, `table.column` or, of JSON, `table.column.field`. Left out anyway: columns that the database fills by
   * itself (identities, random ids, `default now()`), those that refer to one, `endpoint`, and `outbox.event_id`.
   */
  readonly ignore?: readonly string[];
  /** Topics of the outbox that are not compared: of a question that is only asked where the order of arrival leaves one open. */
  readonly ignoreTopics?: readonly string[];
  /** Writes what must be there before the events. */
  readonly prepare?: (database: Database) => Promise<void>;
  /** Looks at what the deliveries left in the order given: every other run must leave the same, so it is right or none is. */
  readonly expectEnd?: (rows: Readonly<Record<string, readonly unknown[]>>) => void;
  /** Of the random orders. Default: another one each time; it is part of the test's name. */
  readonly seed?: number;
  /** How many random orders are tried in each mode. Default 10. */
  readonly randomOrders?: number;
}

/**
 * Declares vitest tests that prove handlers: signed deliveries through the real ingestor into a database of their own, handled
 * - once each in the order given, which says how every other run must end;
 * - twice and on two endpoints;
 * - in every order, of up to 5 deliveries, else in random ones; in random ones with everything on two endpoints;
 * - by several workers at once, none of which commits before all have written;
 * - with the connection cut after each statement in turn;
 * and all of it in batches too, where a handler offers `handleMany` or declares `ownRowsOnly`.
 *
 * Each run must finish every event and end with the same rows in `tables` and the same multiset of outbox rows.
 * Needs the test server: the file belongs under `test/`.
 */
export function describeHandler(options: HandlerProofOptions): void {
  const isWritten = options.handlers.every(({ parked }) => parked === undefined);
  if (isWritten) describeProof(options);
  else describeParked(options);
}

function describeProof(options: HandlerProofOptions): void {
  const { handlers, deliveries, seed = Math.floor(Math.random() * 2 ** 31), randomOrders: count = 10 } = options;
  const random = { seed, count };

  describe(`handling ${deliveries.map(({ provider, name }) => `${provider} ${name}`).join(', ')}`, {
    timeout: timeoutMs,
  }, () => {
    let stage: Stage | undefined;
    let first: Promise<EndState> | undefined;
    beforeAll(async () => {
      stage = await openStage(options);
    });
    afterAll(async () => await stage?.close());

    test('each event once, in the order given, is finished and leaves what it should', async () => {
      const { expected } = await proof();
      expect([...expected.values()].flat().length).toBeGreaterThanOrEqual(1);
      const rows = [...expected].map(([table, texts]) => [table, texts.map((text): unknown => JSON.parse(text))]);
      options.expectEnd?.(Object.fromEntries(rows) as Readonly<Record<string, readonly unknown[]>>);
    });

    describe.each(modesOf(handlers))('handled %s', (mode) => {
      test('everything twice and on two endpoints ends the same', async () => {
        expect(await everythingAgain(await proof(), mode)).toBeGreaterThanOrEqual(1);
      });

      const [orders, inOrders] = ordersOf(deliveries.length, random);
      test(`${orders} the same`, async () => {
        expect(await inOrders(await proof(), mode)).toBeGreaterThanOrEqual(1);
      });

      test(`${count} random orders of everything on two endpoints (seed ${seed}) end the same`, async () => {
        expect(await randomOrdersTwice(await proof(), mode, random)).toBeGreaterThanOrEqual(1);
      });

      test('several workers at once end the same, though none commits before all have written', async () => {
        expect(await sideBySide(await proof(), mode)).toBeGreaterThanOrEqual(1);
      });

      test('a connection cut after any statement leaves nothing behind and ends the same', async () => {
        // BEGIN, lock, complete and COMMIT at least.
        expect(await cutAfterEachStatement(await proof(), mode)).toBeGreaterThanOrEqual(4);
      });
    });

    async function proof(): Promise<Proof> {
      if (!stage) throw new Error('the stage is not open');
      first ??= firstRun(stage, deliveries);
      return { stage, deliveries, expected: await first };
    }
  });
}

/** A handler that is begun and not written loses nothing. */
function describeParked(options: HandlerProofOptions): void {
  const parked = options.handlers.filter((handler) => handler.parked !== undefined);
  const handlers = options.handlers.filter((handler) => handler.parked === undefined);
  const reasons = parked.map((handler) => handler.parked).join(', ');

  describe(`handling ${parked.map(({ provider, eventType }) => `${provider} ${eventType}`).join(', ')}`, {
    timeout: timeoutMs,
  }, () => {
    test(`waits until it is written (${reasons}): its events are kept as parked`, async () => {
      const stage = await openStage({ ...options, handlers });
      try {
        const { unfinished } = await stage.allAtOnce(once(options.deliveries), 'alone');
        expect(unfinished.length).toBeGreaterThanOrEqual(1);
        for (const event of unfinished) expect(event).toContain(' is parked: ');
      } finally {
        await stage.close();
      }
    });
  });
}

function modesOf(handlers: readonly EventHandler[]): readonly Mode[] {
  return handlers.some((handler) => 'handleMany' in handler || handler.ownRowsOnly)
    ? ['alone', 'in batches']
    : ['alone'];
}

function ordersOf(
  deliveries: number,
  random: RandomOrders,
): [title: string, (proof: Proof, mode: Mode) => Promise<number>] {
  if (deliveries <= everyOrderUpTo) return [countOfOrders(deliveries), everyOrder];
  return [
    `${random.count} random orders (seed ${random.seed}) end`,
    (proof, mode) => randomOrders(proof, mode, random),
  ];
}

function countOfOrders(deliveries: number): string {
  const orders = Array.from({ length: deliveries }, (_, index) => index + 1).reduce((product, n) => product * n, 1);
  return orders === 1 ? 'the one order of a single delivery ends' : `all ${orders} orders end`;
}

/** 120 orders of five; six would make 720. */
const everyOrderUpTo = 5;
const timeoutMs = 180_000;
