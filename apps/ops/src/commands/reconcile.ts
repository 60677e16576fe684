import { CodedError } from '@mailroom/kernel';
import { Argument } from 'commander';
import { actorOf } from '../arguments/actor.ts';
import { type EndpointChoice, endpointOption } from '../arguments/endpoint-option.ts';
import { given, moment } from '../arguments/option-values.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import type { Invocation, OperatorCommand } from '../operator-command.ts';
import { progressLine } from '../reconcile/progress-line.ts';
import { reconcileEvents } from '../reconcile/reconcile-events.ts';
import { type Busy, reconciling } from '../reconcile/reconciliation.ts';
import { moment as shownMoment } from '../terminal/span.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { visible } from '../terminal/visible.ts';
import { writeSweeps } from '../views/sweep-view.ts';

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
    'quarter of an hour. Needs API keys: docs/reconciliation.md. Who let in what is on record (operator_actions).',
  examples: [
    ['reconcile events --dry-run', 'what is missing; writes nothing'],
    ['reconcile events', 'after an outage, and from cron'],
    [
      "reconcile events --endpoint stripe/billing --since 30d --reason 'restored a backup'",
      'as far back as Stripe tells',
    ],
  ],
  exitCodes: [
    [exitCode.ok, 'all that could be asked was looked at'],
    [exitCode.no, 'a provider could not be asked, nothing is configured, or another runner is at it'],
  ],
  declare: (command) =>
    command
      .addArgument(new Argument('<what>', 'what to compare').choices(['events']))
      .option('--endpoint <provider/endpoint>', 'only this endpoint, or every endpoint of a provider', endpointOption)
      .option('--since <when>', 'from then on: 6h, 3d, 2026-11-30T06:00:00Z; whole hours', moment)
      .option('--until <when>', 'up to then; five minutes ago at the latest', moment)
      .option('--dry-run', 'compare only, write nothing')
      .option('--reason <text>', 'why; kept for ever', given, 'routine')
      .option('--actor <name>', 'who; the login name by default', given),
  run: async ({ world, options, json }: Invocation): Promise<ExitCode> => {
    const { endpoint = null, since = null, until = null, dryRun = false, reason, actor } = options as ReconcileOptions;
    if (since !== null && until !== null && since >= until) {
      throw new CodedError('usage', '--since must be before --until.');
    }
    const stop = new AbortController();
    world.onStop(() => stop.abort());
    const outcome = await reconciling(world, { endpoint, signal: stop.signal }, (run) =>
      reconcileEvents(run, {
        since,
        until,
        dryRun,
        reason,
        actor: actorOf(world, actor),
        onProgress: (progress) => world.terminal.progress(progressLine(progress)),
      }),
    );
    world.terminal.progress(null);
    if (outcome.outcome === 'busy') return tellBusy(world.terminal, outcome, json);
    const { result } = outcome;
    if (json) world.terminal.json({ outcome: 'ran', ...result });
    else writeSweeps(world.terminal, result);
    return result.failed.length === 0 && result.sweeps.length > 0 ? exitCode.ok : exitCode.no;
  },
};

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
