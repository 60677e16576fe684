import type { Mutation } from './mutation.ts';

const process = 'test/inbox/process.test.ts';
const lease = 'test/inbox/lease.test.ts';

/** What a hurried change may well break. Ordered as the protocol goes: receive, claim, process, record. */
export const mutations: readonly Mutation[] = [
  {
    name: 'acknowledge before commit',
    consequence: 'a delivery is answered 200 and then lost with its transaction',
    file: 'apps/ingest/src/commit-in-time.ts',
    find: '  const outcome = await Promise.race([committed, deadline.promise]);',
    replace:
      '  const outcome = await Promise.race([storedOutcome(delivery, { stored: 1, duplicates: 0 }), committed, deadline.promise]);',
    caughtBy: [
      {
        file: 'test/ingest/locked-row.test.ts',
        title:
          'a delivery whose event somebody else is inserting is told 503 in time, and its redelivery is a duplicate',
      },
    ],
  },
  {
    name: 'answer a group before its commit',
    consequence: 'as above, one layer below: receive() resolves while its INSERT is under way',
    file: 'packages/inbox/src/group-commit.ts',
    find: '      const results = await options.writeGroup(group.map(({ item }) => item));',
    replace:
      '      for (const { resolve } of group) resolve({ stored: 1, duplicates: 0 } as Result);\n      const results = await options.writeGroup(group.map(({ item }) => item));',
    caughtBy: [
      {
        file: 'test/inbox/receive.test.ts',
        title: 'refuses, and does not stall neighbours, when somebody else holds the key uncommitted',
      },
    ],
  },
  {
    name: 'no deduplication',
    consequence: 'a redelivery is a fault of ours, and is sent again for days',
    file: 'packages/inbox/src/sql/insert-receipts.ts',
    find: '  on conflict (provider, endpoint, event_id) do nothing',
    replace: '',
    caughtBy: [{ file: 'test/ingest/receive.test.ts', title: 'sent twice gives one row and two 200s' }],
  },
  {
    name: 'deduplicate with DO UPDATE',
    consequence: 'a redelivery counts as new, and waits for the handler that has its row',
    file: 'packages/inbox/src/sql/insert-receipts.ts',
    find: '  on conflict (provider, endpoint, event_id) do nothing',
    replace: '  on conflict (provider, endpoint, event_id) do update set received_at = now()',
    caughtBy: [
      {
        file: 'test/inbox/receive.test.ts',
        title: 'stores the same event twice as one row and counts the duplicate outside the acknowledging path',
      },
    ],
  },
  {
    name: 'no tolerance of timestamps',
    consequence: 'a delivery that somebody recorded can be replayed for ever',
    file: 'packages/providers/src/timestamp-tolerance.ts',
    find: '  if (ageMs > options.toleranceMs) {',
    replace: '  if (ageMs > Number.POSITIVE_INFINITY) {',
    caughtBy: [
      {
        file: 'packages/providers/test/stripe-verify.test.ts',
        title: 'may lie as far as the tolerance in the past and in the future, and no further',
      },
    ],
  },
  {
    name: 'claim what somebody holds',
    consequence: 'every worker takes every event',
    file: 'packages/inbox/src/sql/claim.ts',
    find: '      and (leased_until is null or leased_until <= now())',
    replace: '',
    caughtBy: [{ file: lease, title: 'never lets two claimers share a row' }],
  },
  {
    name: "leases by the worker's clock",
    consequence: 'a worker whose clock is behind claims rows that are free at once, one ahead keeps them for hours',
    file: 'packages/inbox/src/sql/claim.ts',
    find: "        lease_token = $2::uuid, leased_by = $3, leased_until = now() + $4::float8 * interval '1 ms'",
    replace:
      "        lease_token = $2::uuid, leased_by = $3, leased_until = to_timestamp(${Date.now()} / 1000.0) + $4::float8 * interval '1 ms'",
    caughtBy: [
      { file: lease, title: "leases and due times run by the database's clock: the worker's is off by %d hour" },
    ],
  },
  {
    name: 'count attempts after the work',
    consequence: 'an event that kills its process is tried for ever',
    file: 'packages/inbox/src/sql/claim.ts',
    find: '    set attempts = due.attempts + 1, total_attempts = i.total_attempts + 1,',
    replace: '    set total_attempts = i.total_attempts + 1,',
    caughtBy: [
      {
        file: lease,
        title: 'stops an event that was claimed three times and crashed each time, and says that the worker died',
      },
    ],
  },
  {
    name: 'drop the re-check under the lock',
    consequence: 'a worker whose lease ran out runs the handler again',
    file: 'packages/inbox/src/sql/lock.ts',
    find: "    where i.state = 'pending' and i.lease_token = n.token",
    replace: '    where n.token is not null',
    caughtBy: [
      {
        file: lease,
        title: 'lets another worker take over when a lease ran out, and the first does nothing when it returns',
      },
    ],
  },
  {
    name: 'drop the fencing predicate of the completion',
    consequence: "a worker that lost its row completes somebody else's",
    file: 'packages/inbox/src/sql/complete.ts',
    find: "      and i.state = 'pending' and i.lease_token = n.token`.execute(tx);",
    replace: "      and i.state = 'pending' and n.token is not null`.execute(tx);",
    caughtBy: [{ file: process, title: 'never lets a stale worker complete a row that somebody else holds' }],
  },
  {
    name: 'drop the fencing predicate of the failure record',
    consequence: "a worker that lost its row reschedules somebody else's",
    file: 'packages/inbox/src/sql/settle.ts',
    find: "      where provider = $1 and endpoint = $2 and event_id = $3 and state = 'pending' and lease_token = $4::uuid",
    replace:
      "      where provider = $1 and endpoint = $2 and event_id = $3 and state = 'pending' and $4::uuid is not null",
    caughtBy: [
      { file: process, title: 'never lets a stale worker reschedule a row that somebody else holds' },
      { file: lease, title: 'never lets a stale worker renew, return or park a row that somebody else holds' },
    ],
  },
  {
    name: 'drop the fencing predicate of the renewal',
    consequence: "a worker that lost its row changes the lease of somebody else's",
    file: 'packages/inbox/src/sql/renew.ts',
    find: "      where i.state = 'pending' and i.lease_token = n.token",
    replace: "      where i.state = 'pending' and n.token is not null",
    caughtBy: [
      { file: lease, title: 'never lets a stale worker renew, return or park a row that somebody else holds' },
    ],
  },
  {
    name: 'record before work',
    consequence: 'an event whose handler fails is recorded as processed: its effect is lost',
    file: 'packages/inbox/src/process.ts',
    find: `      const outcome = await lend(tx, (lent) => work(lent, event));
      const completion = completionOf(claimed, outcome);
      await complete(tx, [completion]);`,
    replace: `      const completion = completionOf(claimed, { outcome: 'done' });
      await complete(tx, [completion]);
      await (await import('kysely')).sql\`commit\`.execute(tx);
      await lend(tx, (lent) => work(lent, event));`,
    caughtBy: [{ file: process, title: 'counts a worker failure, reschedules, and succeeds later' }],
  },
  {
    name: 'keep the writes of a rejected event',
    consequence: 'an event that its handler refused has half an effect',
    file: 'packages/inbox/src/process.ts',
    find: "    case 'reject':\n      throw new RolledBack(outcome);",
    replace: "    case 'reject':\n      return { claimed, ignoredReason: outcome.reason };",
    caughtBy: [
      {
        file: process,
        title:
          'keeps reasons: ignored is finished, rejected is buried, snoozed costs no attempt; only ignored keeps its writes',
      },
    ],
  },
  {
    name: 'no savepoint rollback',
    consequence:
      'a caller that catches the error and commits keeps the receipt of an event that had no effect: it is lost',
    file: 'packages/inbox/src/savepoint.ts',
    find: '    await sql`rollback to savepoint mailroom`.execute(tx).catch(() => undefined);',
    replace: '',
    caughtBy: [
      {
        file: 'test/inbox/receive-and-process.test.ts',
        title: 'keeps no receipt where its caller catches the error and commits',
      },
    ],
  },
  {
    name: 'take an unknown commit outcome for a failure',
    consequence: 'an event that was processed is reported as one that is not',
    file: 'packages/inbox/src/record-end.ts',
    find: "    if (found === 'finished') return { outcome: 'processed' };",
    replace: '',
    caughtBy: [
      {
        file: 'test/inbox/unknown-commit.test.ts',
        title: 'but that the server is still doing is waited for and found done: no failure, no second effect',
      },
    ],
  },
  {
    name: 'let one unrecorded end spoil its batch',
    consequence: 'neighbours that were processed are reported as lost, and those that were not begun lose an attempt',
    file: 'packages/inbox/src/process-batch.ts',
    find: "      const result = await attempt.catch((error: unknown) => ({ outcome: 'not_recorded', error }) as const);",
    replace: '      const result = await attempt;',
    caughtBy: [
      {
        file: 'test/inbox/own-error.test.ts',
        title: 'that cannot be recorded is the trouble of its event alone, not of its neighbours in the batch',
      },
    ],
  },
  {
    name: 'take a COMMIT answered ROLLBACK for a success',
    consequence: 'a handler that swallowed a database error is recorded as processed, its writes gone',
    file: 'packages/db/src/transaction.ts',
    find: "  if (command === 'ROLLBACK') {",
    replace: "  if (command === 'never') {",
    caughtBy: [
      {
        file: 'test/db/transaction.test.ts',
        title: 'does not commit when the work swallowed an SQL error, and says so',
      },
    ],
  },
  {
    name: 'let a finished handler write on',
    consequence: "a forgotten promise of one event writes into the next one's transaction",
    file: 'packages/inbox/src/revocable-transaction.ts',
    find: '    revoked = true;',
    replace: '',
    caughtBy: [{ file: process, title: 'refuses statements of a handler that has returned' }],
  },
  {
    name: 'do not look before calling Stripe again',
    consequence: 'a refund that was made just before a crash is made again once Stripe has forgotten the key',
    file: 'packages/effects/src/stripe-call-sink.ts',
    find: '      const made = isFirst && !operation.lookFirst ? null : await find();',
    replace: '      const made = operation.lookFirst ? await find() : null;',
    caughtBy: [
      {
        file: 'test/effects/stripe-call.test.ts',
        title: 'is found by its key where the process died between the call and the record, a day later too',
      },
    ],
  },
  {
    name: 'ignore the recorded result of a call',
    consequence: 'a retry days later asks Stripe again instead of knowing',
    file: 'packages/effects/src/stripe-call-sink.ts',
    find: "    if (known?.result) return { outcome: 'sent', result: known.result };",
    replace: '',
    caughtBy: [
      {
        file: 'test/effects/stripe-call.test.ts',
        title: 'is not made again by a retry days later, when Stripe has forgotten the key',
      },
    ],
  },
  {
    name: 'mark a message under any fencing token',
    consequence: 'a relay that was relieved marks what another is sending; where that one fails, the message is lost',
    file: 'packages/outbox/src/sql/finish.ts',
    find: '      join outbox o on o.outbox_id = held.outbox_id and o.claim_token = held.token',
    replace: '      join outbox o on o.outbox_id = held.outbox_id',
    caughtBy: [
      {
        file: 'test/outbox/sinks.contract.test.ts',
        title: 'a relay that was relieved while it was sending marks nothing',
      },
    ],
  },
  {
    name: 'send a message while an earlier one of its aggregate is stuck',
    consequence: 'a receiver hears of the refund before the payment',
    file: 'packages/outbox/src/sql/claim.ts',
    find: '      select *, bool_and(before is not distinct from neighbour and neighbour_spent is not true)',
    replace: '      select *, bool_and(true)',
    caughtBy: [
      {
        file: 'test/outbox/relay.test.ts',
        title: 'leaves to a person what ends its relay at every attempt',
      },
    ],
  },
];
