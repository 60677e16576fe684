import { randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inboxStates } from '@mailroom/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { states } from '../db/inbox-row.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { emptyInbox } from '../support/inbox-fixtures.ts';
import { renderStateMachine } from './document.ts';
import { type Operation, operations } from './operations.ts';
import { recordTransitions, takeRecorded } from './recorded-transitions.ts';
import { seedEveryPlace } from './seeded-rows.ts';
import { movesNothing, places, type Transition, transitions, writers } from './transitions.ts';
import { troubledFleet } from './troubled-fleet.ts';

const root = resolve(import.meta.dirname, '../..');

describe('the transitions of an inbox row', () => {
  let db: TestDatabase;
  const found = new Map<string, Set<string>>();

  beforeAll(async () => {
    db = await createTestDatabase();
    await recordTransitions(db.database);
  });
  beforeEach(() => emptyInbox(db.database));
  afterAll(() => db.drop());

  it.each(operations)('are only documented ones, from wherever it starts: $name', async (operation) => {
    const recorded = await movesOf(operation, (claimed) => claimed);
    const documented = documentedOf(operation.by, operation.with);
    expect(recorded.filter((move) => !documented.has(move))).toEqual([]);
    const all = found.get(operation.by) ?? new Set();
    for (const move of recorded) all.add(move);
    found.set(operation.by, all);
  });

  it.each(operations.filter(({ fenced }) => fenced))(
    'are none under a lease that is no longer its own: $name',
    async (operation) => {
      const leaseToken = randomUUID();
      expect(await movesOf(operation, (claimed) => claimed.map((one) => ({ ...one, leaseToken })))).toEqual([]);
    },
  );

  it('are all documented ones: each was gone above', () => {
    const missing = transitions.filter(({ by, ...move }) => !found.get(by)?.has(arrow(move)));
    expect(missing).toEqual([]);
    expect(transitions.length).toBeGreaterThan(50);
    expect(new Set(transitions.map((one) => `${arrow(one)} ${one.by}`)).size).toBe(transitions.length - twice().length);
  });

  async function movesOf(
    { prepare, run }: Operation,
    change: (claimed: Awaited<ReturnType<typeof seedEveryPlace>>) => Awaited<ReturnType<typeof seedEveryPlace>>,
  ): Promise<readonly string[]> {
    const heldBy = (await prepare?.(db.database)) ?? 'nobody';
    const claimed = await seedEveryPlace(db.database, heldBy);
    await takeRecorded(db.database);
    await run(db.database, change(claimed));
    return await takeRecorded(db.database);
  }
});

describe('a fleet at work', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await createTestDatabase();
    await recordTransitions(db.database);
  });
  afterAll(() => db.drop());

  it('goes no other ways, whatever befalls it', async () => {
    await troubledFleet(db.database);
    const recorded = await takeRecorded(db.database);
    const documented = new Set(transitions.map(arrow));
    expect(recorded.filter((move) => !documented.has(move))).toEqual([]);
    // Of those that its troubles bring about for certain.
    const certain = [
      'none -> waiting',
      'waiting -> leased',
      'leased -> suspect',
      'suspect -> suspect leased',
      'leased -> held',
    ];
    const ends = [
      'leased -> processed',
      'leased -> ignored',
      'leased -> rejected',
      'leased -> exhausted',
      'exhausted -> waiting',
    ];
    expect(recorded).toEqual(expect.arrayContaining([...certain, ...ends, 'held -> waiting', 'parked -> waiting']));
  });
});

describe('the documented places and writers', () => {
  it('are every state that the ledger knows', () => {
    const pending = new Set(['none', 'waiting', 'leased', 'suspect', 'suspect leased']);
    const documented = Object.keys(places).filter((place) => !pending.has(place));
    expect(['pending', ...documented].toSorted()).toEqual([...states].toSorted());
    expect([...inboxStates].toSorted()).toEqual([...states].toSorted());
    const known = /constraint state_is_known check [^\n]*/i
      .exec(source('migrations/schema.sql'))?.[0]
      .match(/'[a-z]+'/g);
    expect(known?.map((name) => name.slice(1, -1)).toSorted()).toEqual([...states].toSorted());
  });

  it('are every statement that writes the ledger: a new one must say where it moves rows', () => {
    const files = globSync(['packages/*/src/**/*.ts', 'apps/*/src/**/*.ts', 'migrations/0*.sql'], { cwd: root });
    expect(files.length).toBeGreaterThan(300);
    const counted = files.map((file) => [file, source(file).match(writing)?.length ?? 0] as const);
    expect(Object.fromEntries(counted.filter(([, count]) => count > 0))).toEqual(writers);
  });

  it('are what docs/state-machine.md shows', () => {
    expect(source('docs/state-machine.md')).toContain(renderStateMachine());
  });

  it('are the same files', () => {
    const moving = Object.keys(writers).filter((file) => !movesNothing.includes(file));
    const documented = new Set(transitions.map(({ by }) => by));
    documented.delete('packages/inbox/src/sql/prune.ts');
    expect([...documented].toSorted()).toEqual(moving.toSorted());
    expect(new Set(operations.map(({ by }) => by))).toEqual(
      new Set([...documented, 'packages/inbox/src/sql/renew.ts', 'packages/inbox/src/sql/prune.ts']),
    );
  });
});

/** A statement that writes webhook_inbox, in SQL or through Kysely, or hands its name to one. */
const writing =
  /\b(?:update|insert into|delete from|merge into|truncate(?: table)?|copy)\s+(?:only\s+)?webhook_inbox\b|(?:updateTable|insertInto|deleteFrom|mergeInto|replaceInto)\(\s*['"`]webhook_inbox\b|\btable: 'webhook_inbox',\s+what:/gi;

function documentedOf(...by: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(transitions.filter((one) => by.includes(one.by)).map(arrow));
}

function arrow({ from, to }: Pick<Transition, 'from' | 'to'>): string {
  return `${from} -> ${to}`;
}

/** The same way of the same file for more than one reason. */
function twice(): readonly string[] {
  const all = transitions.map((one) => `${arrow(one)} ${one.by}`);
  return all.filter((one, index) => all.indexOf(one) !== index);
}

function source(file: string): string {
  return readFileSync(resolve(root, file), 'utf8');
}
