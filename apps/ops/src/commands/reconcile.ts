import { secretsOf } from '@mailroom/config';
import { CodedError } from '@mailroom/kernel';
import { createLogger } from '@mailroom/observability';
import type { ComparisonResult, Seen } from '@mailroom/reconcile';
import { Argument } from 'commander';
import { actorOf } from '../arguments/actor.ts';
import { type EndpointChoice, endpointOption } from '../arguments/endpoint-option.ts';
import { given, moment } from '../arguments/option-values.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Invocation, OperatorCommand } from '../operator-command.ts';
import { progressLine } from '../reconcile/progress-line.ts';
import { reconcileEvents } from '../reconcile/reconcile-events.ts';
import { reconcileState } from '../reconcile/reconcile-state.ts';
import { reconcileSubscriptions } from '../reconcile/reconcile-subscriptions.ts';
import { type Busy, type Reconciliation, reconciling } from '../reconcile/reconciliation.ts';
import { moment as shownMoment } from '../terminal/span.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { writeComparisons, writeRegistrations } from '../views/comparison-view.ts';
import { writeSweeps } from '../views/sweep-view.ts';
import type { World } from '../world.ts';

interface ReconcileOptions {
  readonly endpoint?: EndpointChoice;
  readonly since?: Date;
  readonly until?: Date;
  readonly dryRun?: boolean;
  readonly reason: string;
  readonly actor?: string;
}

export const reconcileCommand: OperatorCommand = {
  name: 'reconcile',
  summary: 'ask the providers what was missed, and let it in',
  description:
    'events: asks for every event of the time since the last sweep, compares with the ledger, and lets in what is missing, as ' +
    'the ingestor would have; the same handlers run, and a webhook that comes late is a duplicate. One runner at a time; cut ' +
    'off anywhere, the next run goes on. Without --since the first run looks back three days. Fit for cron: run it every ' +
    'quarter of an hour. Who let in what is on record (operator_actions).\n\n' +
    'state: compares invoices, subscriptions and orders of the last 30 days with our tables; what differs becomes a finding.\n\n' +
    'subscriptions: looks whether the webhooks are still registered, enabled, and point at MAILROOM_PUBLIC_URL.\n\n' +
    'All of it needs API keys: docs/reconciliation.md.',
  examples: [
    ['reconcile events --dry-run', 'what is missing; writes nothing'],
    ['reconcile events', 'after an outage, and from cron'],
    [
      "reconcile events --endpoint stripe/billing --since 30d --reason 'restored a backup'",
      'as far back as Stripe tells',
    ],
  ],
  exitCodes: [
    [exitCode.ok, 'all was looked at; of state and subscriptions: and is as it should be'],
    [exitCode.no, 'something differs or is not registered; a provider could not be asked; another runner is at it'],
  ],
  declare: (command) =>
    command
      .addArgument(new Argument('<what>', 'what to compare').choices(['events', 'state', 'subscriptions']))
      .option('--endpoint <provider/endpoint>', 'only this endpoint, or every endpoint of a provider', endpointOption)
      .option('--since <when>', 'from then on: 6h, 3d, 2026-11-30T06:00:00Z; whole hours', moment)
      .option('--until <when>', 'up to then; five minutes ago at the latest', moment)
      .option('--dry-run', 'compare only, write nothing')
      .option('--reason <text>', 'why; kept for ever', given, 'routine')
      .option('--actor <name>', 'who; the login name by default', given),
  run: async ({ world, args: [what], options, json }: Invocation): Promise<ExitCode> => {
    const asked = options as ReconcileOptions;
    const { endpoint = null, since, until } = asked;
    if (since && until && since >= until) throw new CodedError('usage', '--since must be before --until.');
    const stop = new AbortController();
    world.onStop(() => stop.abort());
    const outcome = await reconciling(world, { endpoint, signal: stop.signal }, async (run) => {
      if (what === 'state') return await state(world, run, asked, json);
      if (what === 'subscriptions') return await subscriptions(world, run, json);
      return await events(world, run, asked, json);
    });
    return outcome.outcome === 'busy' ? tellBusy(world.terminal, outcome, json) : outcome.result;
  },
};

async function events(world: World, run: Reconciliation, options: ReconcileOptions, json: boolean): Promise<ExitCode> {
  const { since = null, until = null, dryRun = false, reason, actor } = options;
  const report = await reconcileEvents(run, {
    since,
    until,
    dryRun,
    reason,
    actor: actorOf(world, actor),
    onProgress: (progress) => world.terminal.progress(progressLine(progress)),
  });
  world.terminal.progress(null);
  if (json) world.terminal.json({ outcome: 'ran', ...report });
  else writeSweeps(world.terminal, report);
  return report.failed.length === 0 && report.sweeps.length > 0 ? exitCode.ok : exitCode.no;
}

async function state(world: World, run: Reconciliation, options: ReconcileOptions, json: boolean): Promise<ExitCode> {
  const since = options.since ?? new Date(Date.now() - 30 * 86_400_000);
  const report = await reconcileState(run, since);
  logOpened(
    world,
    run,
    report.comparisons.flatMap(({ opened }) => opened),
  );
  if (json) world.terminal.json({ outcome: 'ran', ...report, comparisons: report.comparisons.map(withoutRepairs) });
  else writeComparisons(world.terminal, report);
  const clean = report.comparisons.every(({ differing }) => differing === 0);
  return clean && report.failed.length === 0 && report.comparisons.length > 0 ? exitCode.ok : exitCode.no;
}

async function subscriptions(world: World, run: Reconciliation, json: boolean): Promise<ExitCode> {
  const report = await reconcileSubscriptions(run);
  logOpened(
    world,
    run,
    report.checked.flatMap(({ opened }) => opened),
  );
  if (json) world.terminal.json({ outcome: 'ran', ...report });
  else writeRegistrations(world.terminal, report);
  const clean = report.checked.every(({ wrong }) => wrong.length === 0);
  return clean && report.failed.length === 0 && report.checked.length > 0 ? exitCode.ok : exitCode.no;
}

/** A repair is the whole object, which may hold personal data. */
function withoutRepairs({ opened, ...comparison }: ComparisonResult) {
  return { ...comparison, opened: opened.map((seen) => Object.assign({}, seen, { repair: seen.repair !== null })) };
}

/** Where nobody watches, as in cron, what is new goes to the log too: one line each on standard error. */
function logOpened({ terminal }: World, { config }: Reconciliation, opened: readonly Seen[]): void {
  if (terminal.width !== null) return;
  const log = createLogger({
    level: config.logLevel,
    name: 'reconcile',
    destination: { write: (line) => terminal.rawNote(line) },
    secrets: secretsOf(config),
  });
  for (const { provider, endpoint, kind, objectKey } of opened) {
    log.error('finding_opened', { provider, endpoint, kind, object_key: objectKey });
  }
}

function tellBusy(terminal: Terminal, busy: Busy, json: boolean): ExitCode {
  if (json) terminal.json(busy);
  else {
    const since = shownMoment(busy.since, new Date());
    terminal.note(
      `${visible(busy.holder)} reconciles since ${since}; nothing was done. If it has died, its lease ends`,
    );
    terminal.note(`at ${shownMoment(busy.leasedUntil, new Date())}.`);
  }
  return exitCode.no;
}
