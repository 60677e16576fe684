import { count } from '../terminal/count.ts';
import { spanOf } from '../terminal/span.ts';
import { shellWord, typed } from '../terminal/typed.ts';
import type { StatusReport } from './status-report.ts';

/** One thing that is not as it should be, and what to do about it. */
export interface Advice {
  /** `act`: events do not take effect until somebody acts. `watch`: it may heal by itself, or be as intended. */
  readonly level: 'act' | 'watch';
  readonly problem: string;
  readonly why: string;
  /** What to type next. */
  readonly commands: readonly string[];
}

/** What an operator should do next, most urgent first; empty when nothing is wrong. */
export function advise(report: StatusReport): readonly Advice[] {
  const found = rules.flatMap((rule) => rule(report) ?? []);
  return [...found.filter(({ level }) => level === 'act'), ...found.filter(({ level }) => level === 'watch')];
}

type Rule = (report: StatusReport) => Advice | null;

const rules: readonly Rule[] = [
  nobodyWorks,
  ({ states }) =>
    states.exhausted === 0
      ? null
      : {
          level: 'act',
          problem: `${events(states.exhausted)} used up all attempts`,
          why: 'Nothing runs them again by itself. See what they failed on, mend it, then start them again.',
          commands: [typed('list --state exhausted'), typed('show KEY'), typed("retry KEY --reason 'what was mended'")],
        },
  ({ states }) =>
    states.rejected === 0
      ? null
      : {
          level: 'act',
          problem: `${events(states.rejected)} rejected by a handler`,
          why: 'A handler said this can never work; the row says why.',
          commands: [typed('list --state rejected')],
        },
  ({ states }) =>
    states.quarantined === 0
      ? null
      : {
          level: 'act',
          problem: `${events(states.quarantined)} quarantined`,
          why: 'Correctly signed, but the body could not be read. Look at the bytes.',
          commands: [typed('list --state quarantined'), typed('body KEY')],
        },
  ({ outbox }) =>
    outbox.needsReview === 0
      ? null
      : {
          level: 'act',
          problem: `${messages(outbox.needsReview)} in the outbox need review`,
          why: 'They were refused for good, or failed too often; later ones of the same aggregate wait behind them.',
          commands: [typed('outbox'), typed("outbox retry ID --reason 'what was mended'")],
        },
  ({ outbox }) =>
    outbox.unrouted === 0
      ? null
      : {
          level: 'act',
          problem: `${messages(outbox.unrouted)} in the outbox have no sink`,
          why: 'No sink takes their topic. They are kept until a worker has one: docs/outbox.md.',
          commands: [typed('outbox')],
        },
  ({ anomalies }) => {
    const [first] = anomalies;
    if (first === undefined) return null;
    return {
      level: 'act',
      problem: `open anomalies: ${anomalies.map(({ kind, open }) => `${kind} (${count(open)})`).join(', ')}`,
      why: 'Handlers saw facts that contradict each other and booked nothing. A person decides, and sets closed_at.',
      commands: [`psql "$DATABASE_URL" -c 'select * from anomalies where closed_at is null order by seen_at desc'`],
    };
  },
  ({ reconciliation }) =>
    reconciliation.openFindings === 0
      ? null
      : {
          level: 'act',
          problem: `${reconciliation.openFindings} open findings: a provider shows something else than our tables`,
          why: 'Something was lost, or a registration is gone. Each finding says what, and most can be repaired.',
          commands: [typed('findings')],
        },
  ({ reconciliation: { silent } }) => {
    const [first] = silent;
    if (first === undefined) return null;
    const types = silent.map(({ eventType, silentHours }) => `${eventType} (${spanOf(silentHours * 3600)})`);
    return {
      level: 'act',
      problem: `silent event types: ${types.join(', ')}`,
      why: 'They used to come and have stopped, for far longer than they ever pause. The provider may have stopped sending.',
      commands: [typed(`reconcile events --endpoint ${shellWord(`${first.provider}/${first.endpoint}`)} --dry-run`)],
    };
  },
  slowBacklog,
  ({ backlog }) =>
    backlog.leaseExpired === 0
      ? null
      : {
          level: 'watch',
          problem: `${events(backlog.leaseExpired)} held by a worker whose lease ran out`,
          why: 'Their worker died or lost the database. The next claim takes them over; if the figure stays, no worker runs.',
          commands: [typed('list --state pending')],
        },
  ({ failures }) => {
    const [most] = failures.groups;
    if (most === undefined) return null;
    return {
      level: 'watch',
      problem: `${failedAttempts(failures.attempts)} in the last hour`,
      why: 'Each is retried with growing delays until its attempts are used up. The most frequent failure:',
      commands: [typed(`show ${shellWord(most.lastKey)}`)],
    };
  },
  ({ states }) =>
    states.held === 0
      ? null
      : {
          level: 'watch',
          problem: `${events(states.held)} held back`,
          why: 'Paused, or waiting behind something else; the row says behind what.',
          commands: [typed('list --state held')],
        },
  ({ states, parkedTypes }) =>
    states.parked === 0
      ? null
      : {
          level: 'watch',
          problem: `${events(states.parked)} parked: ${parkedTypes.map(({ eventType, events: of }) => `${eventType} (${count(of)})`).join(', ')}`,
          why: 'No handler for these types. Workers take them up by themselves once they have one.',
          commands: [typed('list --state parked')],
        },
];

function nobodyWorks({ backlog, connections }: StatusReport): Advice | null {
  const stuck = backlog.due + backlog.leaseExpired;
  if (stuck === 0 || backlog.leased > 0) return null;
  if (connections.some(({ application }) => application.startsWith('mailroom-worker'))) return null;
  return {
    level: 'act',
    problem: `${events(stuck)} due and no worker in sight`,
    why: 'Nobody holds a lease, and no connection to this database calls itself mailroom-worker.',
    commands: ['node apps/worker/src/main.ts'],
  };
}

function slowBacklog({ backlog }: StatusReport): Advice | null {
  if (backlog.oldestDueSeconds === null || backlog.oldestDueSeconds < slowSeconds) return null;
  return {
    level: 'watch',
    problem: `the backlog is ${spanOf(backlog.oldestDueSeconds)} old`,
    why: 'Workers are too few, too slow or stuck. Look at the event that waits longest, then add workers.',
    commands: backlog.oldestDueKey === null ? [] : [typed(`show ${shellWord(backlog.oldestDueKey)}`)],
  };
}

function events(amount: number): string {
  return amount === 1 ? '1 event' : `${count(amount)} events`;
}

function messages(amount: number): string {
  return amount === 1 ? '1 message' : `${count(amount)} messages`;
}

function failedAttempts(amount: number): string {
  return amount === 1 ? '1 failed attempt' : `${count(amount)} failed attempts`;
}

// An idle system takes an event within a second or so; a minute is a queue, five are a problem somebody will ask about.
const slowSeconds = 300;
