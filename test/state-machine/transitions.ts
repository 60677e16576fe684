/** Where a row of webhook_inbox can be: its state, where pending with its lease and whether it is a suspect. */
export const places = {
  none: 'there is no row',
  waiting: '`pending`, no lease: waits until it is due and a worker claims it',
  leased: '`pending` under the lease of a worker, which has it in its queue or at work',
  suspect: '`pending`, no lease, `suspect`: may have killed its worker, so it is claimed alone',
  'suspect leased': '`pending` and `suspect`, under the lease of a worker that holds nothing else',
  held: '`held`: set aside for a pause, a breaker or an earlier event of its object; outside the claim index',
  exhausted: '`exhausted`: its attempts or its infrastructure retries are used up; wants a person',
  rejected: '`rejected`: its handler said never; wants a person',
  parked: '`parked`: nobody who saw it has a handler for its type',
  quarantined: '`quarantined`: verified and unreadable; wants a better reader',
  processed: '`processed`: its effect is committed with this',
  ignored: '`ignored`: finished without an effect',
} as const;

export type Place = keyof typeof places;

/** One way on: the statement that goes it, and when. */
export interface Transition {
  readonly from: Place;
  readonly to: Place;
  /** The file of the statement. */
  readonly by: string;
  readonly when: string;
}

const sql = (name: string) => `packages/inbox/src/sql/${name}.ts`;
const retry = 'migrations/0009_retention.sql';

/** All of them. A test goes through the statements from every place and finds exactly these. */
export const transitions: readonly Transition[] = [
  ...ways('none', ['waiting'], sql('insert-receipts'), 'received'),
  ...ways('none', ['quarantined'], sql('insert-receipts'), 'received: verified and unreadable'),
  ...ways('waiting', ['leased'], sql('claim'), 'claimed; the attempt is counted'),
  ...ways('leased', ['suspect'], sql('claim'), 'the lease ran out with no outcome'),
  ...ways('suspect', ['suspect leased'], sql('claim'), 'claimed alone'),
  ...ways('suspect leased', ['suspect leased'], sql('claim'), 'the lease ran out, and another worker claims it alone'),
  ...ways('waiting', ['exhausted'], sql('claim'), 'found with no attempt left'),
  ...ways('suspect', ['exhausted'], sql('claim'), 'found with no attempt left'),
  ...ways('leased', ['exhausted'], sql('claim'), 'the lease of its last attempt ran out: worker died while processing'),
  ...ways(
    'suspect leased',
    ['exhausted'],
    sql('claim'),
    'the lease of its last attempt ran out: worker died while processing',
  ),
  ...ways('leased', ['waiting'], sql('return'), 'given back unbegun when its worker stops; attempt refunded'),
  ...ways('suspect leased', ['suspect'], sql('return'), 'given back unbegun when its worker stops; attempt refunded'),
  ...leasedWays(['processed'], sql('complete'), 'its handler is done: commits with its effect'),
  ...leasedWays(['ignored'], sql('complete'), 'its handler said that there is nothing to do'),
  ...leasedWays(['waiting'], sql('settle'), 'the attempt failed and is tried again, or its handler said not now'),
  ...leasedWays(['suspect'], sql('settle'), 'the connection broke during the attempt; attempt refunded'),
  ...leasedWays(['exhausted'], sql('settle'), 'the last attempt failed, or the last infrastructure retry'),
  ...leasedWays(['rejected'], sql('settle'), 'its handler said never'),
  ...leasedWays(['parked'], sql('settle'), 'no handler for its type here; attempt refunded'),
  ...ways('parked', ['waiting'], sql('rearm'), 'a worker has a handler for its type'),
  ...leasedWays(
    ['held'],
    sql('pauses'),
    'claimed while its endpoint, type or failure group is paused; attempt refunded',
  ),
  ...ways('held', ['waiting', 'suspect'], sql('pauses'), 'its pause has ended'),
  ...ways('held', ['leased', 'suspect leased'], sql('canary'), 'its breaker tries it'),
  ...leasedWays(['held'], sql('object-turn'), 'an earlier event of its object has the turn; attempt refunded'),
  ...ways('held', ['waiting', 'suspect'], sql('object-turn'), 'its turn has come'),
  ...(['waiting', 'suspect', 'parked'] as const).flatMap((from) =>
    ways(from, ['processed', 'ignored', 'rejected'], sql('finish-unleased'), 'receiveAndProcess, by its handler'),
  ),
  ...ways('waiting', ['parked'], sql('finish-unleased'), 'receiveAndProcess, without a handler for its type'),
  ...(['suspect', 'held', 'exhausted', 'rejected', 'parked'] as const).flatMap((from) =>
    ways(from, ['waiting'], retry, 'mailroom_retry: an operator starts it again from zero'),
  ),
  ...ways('quarantined', ['waiting'], 'packages/inbox/src/reparse.ts', 'read again: it is this event'),
  ...ways('quarantined', ['ignored'], 'packages/inbox/src/reparse.ts', 'read again: others came of it'),
  ...ways('processed', ['none'], sql('prune'), 'its retention is over'),
  ...ways('ignored', ['none'], sql('prune'), 'its retention is over'),
];

/** Every file that writes webhook_inbox, with how many statements that do. All but those of `movesNothing` are in the table above. */
export const writers: Readonly<Record<string, number>> = {
  [sql('canary')]: 1,
  [sql('claim')]: 3,
  [sql('complete')]: 1,
  [sql('finish-unleased')]: 1,
  [sql('insert-receipts')]: 1,
  [sql('object-turn')]: 2,
  [sql('pauses')]: 2,
  [sql('rearm')]: 1,
  [sql('renew')]: 1,
  [sql('return')]: 1,
  [sql('settle')]: 1,
  'packages/inbox/src/reparse.ts': 2,
  // Names the table for sql/prune.ts, which deletes from whatever it is given.
  'packages/inbox/src/retention-rules.ts': 1,
  // Copies every row as it is.
  'packages/db/src/partition-ledger.ts': 1,
  'packages/handler-kit/src/work-off.ts': 1,
  // mailroom_retry, and what it was before.
  'migrations/0001_inbox.sql': 1,
  'migrations/0006_fleet.sql': 1,
  [retry]: 1,
};

/** Writers of webhook_inbox that leave a row in its place. */
export const movesNothing: readonly string[] = [
  sql('renew'),
  'packages/inbox/src/retention-rules.ts',
  'packages/db/src/partition-ledger.ts',
  'packages/handler-kit/src/work-off.ts',
  'migrations/0001_inbox.sql',
  'migrations/0006_fleet.sql',
];

function ways(from: Place, to: readonly Place[], by: string, when: string): Transition[] {
  return to.map((place) => ({ from, to: place, by, when }));
}

function leasedWays(to: readonly Place[], by: string, when: string): Transition[] {
  return [...ways('leased', to, by, when), ...ways('suspect leased', to, by, when)];
}
