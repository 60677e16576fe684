import type { Pattern } from './pattern.ts';
import { blindUpsert } from './patterns/blind-upsert.ts';
import { checkThenAct } from './patterns/check-then-act.ts';
import { claimIsolation } from './patterns/claim-isolation.ts';
import { doUpdateTwice } from './patterns/do-update-twice.ts';
import { dynamodbMarkerFirst } from './patterns/dynamodb-marker-first.ts';
import { dynamodbMarkerLast } from './patterns/dynamodb-marker-last.ts';
import { dynamodbMarkerTtl } from './patterns/dynamodb-marker-ttl.ts';
import { dynamodbTransaction } from './patterns/dynamodb-transaction.ts';
import { eightAtOnce } from './patterns/eight-at-once.ts';
import { firstFailsSecondWaits } from './patterns/first-fails-second-waits.ts';
import { forgottenIdempotencyKey } from './patterns/forgotten-idempotency-key.ts';
import { mergeRace } from './patterns/merge-race.ts';
import { oneTransaction } from './patterns/one-transaction.ts';
import { oneTransactionClaim } from './patterns/one-transaction-claim.ts';
import { recordFirstThenFail } from './patterns/record-first-then-fail.ts';
import { recordLastThenCrash } from './patterns/record-last-then-crash.ts';
import { skipLockedProcessing } from './patterns/skip-locked-processing.ts';
import { snapshotAsDelta } from './patterns/snapshot-as-delta.ts';
import { timePartitionedInbox } from './patterns/time-partitioned-inbox.ts';

/** Every pattern, in the order in which one meets them. */
export const patterns: readonly Pattern[] = [
  checkThenAct,
  recordFirstThenFail,
  recordLastThenCrash,
  oneTransaction,
  eightAtOnce,
  firstFailsSecondWaits,
  mergeRace,
  claimIsolation,
  doUpdateTwice,
  blindUpsert,
  snapshotAsDelta,
  skipLockedProcessing,
  oneTransactionClaim,
  dynamodbMarkerFirst,
  dynamodbMarkerLast,
  dynamodbMarkerTtl,
  dynamodbTransaction,
  timePartitionedInbox,
  forgottenIdempotencyKey,
];
