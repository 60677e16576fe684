import { printTable } from '../traffic/print-comparison.ts';
import type { Injection } from './adversary.ts';
import type { ChaosReport, LateEvent } from './chaos-report.ts';
import { fleetLeaseMs } from './fleet.ts';

/** More than this many differences tell a person nothing new. */
const maxListed = 20;

export function printReport(report: ChaosReport): string {
  const { posted, seconds, acknowledged, events, starts, seed, notes, messages } = report;
  return [
    '',
    ...printTable(['fault', 'times', 'lost', 'doubled', 'longest recovery'], faultRows(report)),
    '',
    `seed ${seed}: ${posted} posts in ${Math.round(seconds)} s (${Math.round(posted / seconds)} a second), ${acknowledged} acknowledged`,
    `answers: ${listed(report.answers)}`,
    `${events} events: ${listed(report.states)}`,
    `failed attempts: ${listed(report.failures)}`,
    `messages: ${messages.rows} in the outbox, ${messages.received} received, ${messages.duplicates} duplicates, ${messages.lost} lost, ${messages.outOfOrder} out of order`,
    `processes started: ${starts}`,
    ...notes,
    ...printProblems(report),
  ].join('\n');
}

export interface FaultRow {
  readonly fault: string;
  readonly times: number;
  readonly lost: number;
  readonly doubled: number;
  /** Milliseconds; null: never happened or never recovered. */
  readonly longestRecoveryMs: number | null;
}

/** A lost or doubled event counts for every fault that happened while it was under way. */
export function faultTable({ faults, injections, lost, doubled }: ChaosReport): readonly FaultRow[] {
  return faults.map((name) => {
    const of = injections.filter(({ fault }) => fault === name);
    const recoveries = of.map(({ recoveryMs }) => recoveryMs);
    const unrecovered = of.length === 0 || recoveries.includes(null);
    return {
      fault: name,
      times: of.length,
      lost: lost.filter((event) => of.some((injection) => overlap(injection, event))).length,
      doubled: doubled.filter((event) => of.some((injection) => overlap(injection, event))).length,
      longestRecoveryMs: unrecovered ? null : Math.max(...recoveries.map((ms) => ms ?? 0)),
    };
  });
}

function faultRows(report: ChaosReport): readonly (readonly string[])[] {
  return faultTable(report).map(({ fault, times, lost, doubled, longestRecoveryMs }) => [
    fault,
    String(times),
    String(lost),
    String(doubled),
    longestRecoveryMs === null ? '-' : `${(longestRecoveryMs / 1000).toFixed(1)} s`,
  ]);
}

/** What was acknowledged is worked on for some time yet. */
function overlap({ fromMs, toMs }: Injection, event: LateEvent): boolean {
  return fromMs <= event.toMs + 2 * fleetLeaseMs && toMs >= event.fromMs;
}

function printProblems({ differences, problems, histories, logs }: ChaosReport): readonly string[] {
  if (differences.length + problems.length === 0) {
    return [
      '',
      'Every acknowledged event has exactly one effect, every message was received, and nothing else is there.',
    ];
  }
  const lines = differences.slice(0, maxListed).map(({ kind, key, detail }) => `${kind}: ${key}: ${detail}`);
  return [
    '',
    'WRONG:',
    ...problems.slice(0, maxListed),
    ...lines,
    ...(differences.length > maxListed ? [`... ${differences.length} differences in all`] : []),
    ...Object.entries(histories).flatMap(([key, rows]) => ['', `history of ${key}`, ...rows.map((row) => `  ${row}`)]),
    ...(logs === null ? [] : ['', `The logs of the processes are in ${logs}`]),
  ];
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
