import type { Advice } from '../status/advice.ts';
import type { StatusReport } from '../status/status-report.ts';
import { count } from '../terminal/count.ts';
import { ago, spanOf } from '../terminal/span.ts';
import { writeFields, writeTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { writeAdvice } from './advice-view.ts';
import { heading } from './heading.ts';
import { writeRecentFailures } from './recent-failures-view.ts';

export function writeStatus(
  terminal: Terminal,
  database: string,
  report: StatusReport,
  advice: readonly Advice[],
): void {
  terminal.line(
    `${terminal.paint('bold', 'Mailroom')} on ${database}  ${terminal.paint('dim', `${report.at.toISOString().slice(0, 19)}Z`)}`,
  );
  writeBacklog(terminal, report);
  writeEndpoints(terminal, report);
  writeWorkers(terminal, report);
  writeRecentFailures(terminal, report);
  writeRest(terminal, report);
  writeAdvice(terminal, advice);
}

function writeBacklog(terminal: Terminal, { states, backlog, finished }: StatusReport): void {
  heading(terminal, 'Events');
  const parts = [
    [backlog.due, 'due'],
    [backlog.leased, 'leased'],
    [backlog.leaseExpired, 'lease expired'],
    [backlog.waiting, 'waiting for their time'],
    [backlog.retrying, 'tried before'],
  ] as const;
  const pending = parts.filter(([amount]) => amount > 0).map(([amount, name]) => `${count(amount)} ${name}`);
  const rows = [
    ['pending', states.pending, pending.join(', ')],
    ['held', states.held, 'paused or waiting behind another'],
    ['exhausted', states.exhausted, 'all attempts used up'],
    ['rejected', states.rejected, 'refused for good by a handler'],
    ['parked', states.parked, 'no handler for the type'],
    ['quarantined', states.quarantined, 'verified, but unreadable'],
  ] as const;
  const urgent = new Set(['exhausted', 'rejected', 'quarantined']);
  const lines = rows.map(([state, amount, meaning]) => {
    const figure = amount > 0 && urgent.has(state) ? terminal.paint('red', count(amount)) : count(amount);
    return [state, figure, amount > 0 ? meaning : ''];
  });
  if (finished.method === 'counted') {
    lines.push(['processed', count(states.processed ?? 0), ''], ['ignored', count(states.ignored ?? 0), '']);
  } else {
    lines.push([
      'finished',
      `~${count(finished.events)}`,
      'processed and ignored; estimated, the ledger is too large to count',
    ]);
  }
  writeTable(terminal, [{ title: 'STATE' }, { title: 'EVENTS', align: 'right' }, { title: '' }], lines, '  ');
  if (backlog.pending === 0) return;
  const age = backlog.oldestDueSeconds;
  terminal.line();
  const fields: [string, string | null][] = [
    ['backlog age', age === null ? 'nothing is due' : spanOf(age)],
    ['longest due', backlog.oldestDueKey === null ? null : visible(backlog.oldestDueKey)],
    [
      'oldest pending',
      backlog.oldestReceivedSeconds === null ? null : `received ${spanOf(backlog.oldestReceivedSeconds)} ago`,
    ],
  ];
  writeFields(terminal, fields, '  ');
}

function writeEndpoints(terminal: Terminal, { endpoints }: StatusReport): void {
  heading(terminal, 'Endpoints');
  if (endpoints.length === 0) {
    terminal.line('  No event has ever been received here.');
    return;
  }
  const columns = [
    'PENDING',
    'LEASED',
    'HELD',
    'EXHAUSTED',
    'REJECTED',
    'PARKED',
    'QUARANTINED',
    'FINISHED',
    'BACKLOG AGE',
  ];
  writeTable(
    terminal,
    [{ title: 'ENDPOINT' }, ...columns.map((title) => ({ title, align: 'right' as const }))],
    endpoints.map((at) => [
      `${at.provider}/${at.endpoint}`,
      count(at.pending),
      count(at.leased),
      count(at.held),
      count(at.exhausted),
      count(at.rejected),
      count(at.parked),
      count(at.quarantined),
      at.finished === null ? '-' : count(at.finished),
      at.oldestDueSeconds === null ? '-' : spanOf(at.oldestDueSeconds),
    ]),
    '  ',
  );
}

function writeWorkers(terminal: Terminal, { workers, connections, at }: StatusReport): void {
  heading(terminal, 'Workers');
  const holders = workers.filter((worker) => worker.leased + worker.leaseExpired > 0);
  if (holders.length > 0) {
    writeTable(
      terminal,
      [
        { title: 'HOLDS LEASES' },
        { title: 'LEASED', align: 'right' },
        { title: 'EXPIRED', align: 'right' },
        { title: 'LAST LEASE' },
      ],
      holders.map((worker) => [
        visible(worker.worker),
        count(worker.leased),
        worker.leaseExpired > 0 ? terminal.paint('red', count(worker.leaseExpired)) : '0',
        worker.leasedUntil === null ? '-' : leaseEnd(worker.leasedUntil, at),
      ]),
      '  ',
    );
    terminal.line();
  }
  const failed = workers.filter((worker) => worker.failedRecently).map((worker) => visible(worker.worker));
  const connected = connections.map(({ application, connections: open }) => `${visible(application)} (${open})`);
  writeFields(
    terminal,
    [
      ['holding leases', holders.length === 0 ? 'nobody at this moment' : null],
      ['failed in the last hour', failed.length === 0 ? null : firstOf(failed)],
      ['connected now', connected.join(', ') || 'no ingestor or worker that this role can see'],
    ],
    '  ',
  );
}

function leaseEnd(until: Date, at: Date): string {
  return `${until > at ? 'runs out' : 'ran out'} ${ago(until, at)}`;
}

function firstOf(names: readonly string[]): string {
  const more = names.length - namesShown;
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function writeRest(terminal: Terminal, { duplicates, outbox, anomalies, reconciliation, at }: StatusReport): void {
  heading(terminal, 'Besides');
  const events = `${count(duplicates.events)} events came again`;
  writeFields(
    terminal,
    [
      [
        'duplicates',
        duplicates.deliveries === null
          ? `about ${events}; too many to add up`
          : `${count(duplicates.deliveries)} deliveries; ${events}`,
      ],
      [
        'outbox',
        `${count(outbox.pending)} pending` +
          (outbox.oldestPendingSeconds === null ? '' : `, oldest ${spanOf(outbox.oldestPendingSeconds)}`) +
          (outbox.held === 0 ? '' : `, ${count(outbox.held)} behind others`) +
          (outbox.unrouted === 0 ? '' : `, ${terminal.paint('red', `${count(outbox.unrouted)} without a sink`)}`) +
          (outbox.needsReview === 0 ? '' : `, ${terminal.paint('red', `${outbox.needsReview} need review`)}`),
      ],
      [
        'reconciled',
        reconciliation.sweptAgeSeconds === null ? null : `until ${spanOf(reconciliation.sweptAgeSeconds)} ago`,
      ],
      ['anomalies', anomalies.length === 0 ? 'none open' : null],
      ...anomalies.map((open): [string, string] => [
        'anomaly',
        `${terminal.paint('red', String(open.open))} ${visible(open.kind)}, the newest about ${visible(open.newestObjectKey)} ${ago(open.newestSeenAt, at)}`,
      ]),
    ],
    '  ',
  );
}

const namesShown = 5;
