import { classifyDatabaseError, sqlstateOf } from '@mailroom/db';
import { CodedError, messageOf } from '@mailroom/kernel';
import { CommanderError } from 'commander';
import { type ExitCode, exitCode } from './exit-code.ts';
import { reasonOf } from './reason-of.ts';
import { typed } from './terminal/typed.ts';
import type { World } from './world.ts';

interface Report {
  readonly exit: ExitCode;
  readonly code: string;
  readonly message: string;
}

/**
 * Says on standard error what went wrong and what to do, and answers the exit code. With `json` the same stands on standard
 * output as `{ "error": { "code", "message" } }`, so that output is always one document.
 */
export function reportError(error: unknown, world: World, json: boolean): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCode.ok;
  const report = describe(error);
  // Commander has written its own line already.
  if (!(error instanceof CommanderError)) world.terminal.note(`mailroom: ${report.message}`);
  if (report.exit === exitCode.fault && error instanceof Error) world.terminal.note(error.stack ?? '');
  if (json) world.terminal.json({ error: { code: report.code, message: report.message } });
  return report.exit;
}

function describe(error: unknown): Report {
  if (error instanceof CommanderError) return { exit: exitCode.usage, code: 'usage', message: error.message };
  if (error instanceof CodedError) {
    const coded = describeCoded(error);
    if (coded !== null) return coded;
  }
  return describeDatabase(error) ?? { exit: exitCode.fault, code: 'fault', message: `a fault: ${messageOf(error)}` };
}

function describeCoded(error: CodedError): Report | null {
  const { code, message } = error;
  switch (code) {
    case 'bad_event_key':
    case 'unknown_endpoint':
    case 'usage':
    case 'config_invalid':
    case 'retention_too_short':
      return { exit: exitCode.usage, code, message };
    case 'provider_refused':
    case 'provider_unreachable':
    case 'not_reconciled':
    case 'lease_lost':
    case 'not_found':
    case 'body_expired':
    case 'ledger_partitioned':
      return { exit: exitCode.no, code, message };
    case 'no_database':
    case 'localdb_unreadable':
      return { exit: exitCode.unreachable, code, message };
    case 'database_unreachable':
      return { exit: exitCode.unreachable, code, message: `${message}: ${reasonOf(error.cause)}` };
    case 'commit_outcome_unknown':
      return {
        exit: exitCode.unreachable,
        code,
        message: `${message}: it may or may not have happened. Look with ${typed('show KEY')} before doing it again.`,
      };
    default:
      return code.startsWith('migration') ? { exit: exitCode.refused, code, message } : null;
  }
}

function describeDatabase(error: unknown): Report | null {
  const state = sqlstateOf(error);
  const known = state === null ? undefined : refusals.get(state);
  if (known !== undefined) return { exit: exitCode.refused, code: known[0], message: known[1] };
  switch (classifyDatabaseError(error)) {
    case null:
      return null;
    case 'connection':
    case 'shutdown':
    case 'resources':
      return {
        exit: exitCode.unreachable,
        code: 'database_unreachable',
        message: `the database went away: ${reasonOf(error)}`,
      };
    case 'permission':
      return {
        exit: exitCode.refused,
        code: 'permission_denied',
        message: `this database role may not do that: ${messageOf(error)}. docs/operations.md lists what each command needs.`,
      };
    case 'statement_timeout':
      return {
        exit: exitCode.refused,
        code: 'too_slow',
        message: 'the database took too long over this and was stopped. Narrow the question, for example with --state.',
      };
    default:
      return { exit: exitCode.refused, code: 'database_error', message: `the database refused: ${messageOf(error)}` };
  }
}

const notMigrated = `the tables of Mailroom are not there, or are older than this program. Run ${typed('migrate')}`;

// What sqlstate.ts of @mailroom/db has no class for, because only this program tells it apart.
const refusals = new Map<string, readonly [code: string, message: string]>([
  ['42P01', ['not_migrated', notMigrated]],
  ['42703', ['not_migrated', notMigrated]],
  ['42883', ['not_migrated', notMigrated]],
  [
    '25006',
    ['read_only', 'this connection is read-only; this command writes. Use the role and the server that may write.'],
  ],
]);
