import { bodyCommand } from './commands/body.ts';
import { configCommand } from './commands/config.ts';
import { coverageCommand } from './commands/coverage.ts';
import { doctorCommand } from './commands/doctor.ts';
import { findingsCommand } from './commands/findings.ts';
import { listCommand } from './commands/list.ts';
import { migrateCommand } from './commands/migrate.ts';
import { outboxCommand } from './commands/outbox.ts';
import { pauseCommand } from './commands/pause.ts';
import { pausesCommand } from './commands/pauses.ts';
import { pruneCommand } from './commands/prune.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { rejectionsCommand } from './commands/rejections.ts';
import { reparseCommand } from './commands/reparse.ts';
import { resumeCommand } from './commands/resume.ts';
import { retryCommand } from './commands/retry.ts';
import { secretsCommand } from './commands/secrets.ts';
import { showCommand } from './commands/show.ts';
import { skipCommand } from './commands/skip.ts';
import { statusCommand } from './commands/status.ts';
import type { OperatorCommand } from './operator-command.ts';

/** Every command, in the order in which help lists them. */
export const registry: readonly OperatorCommand[] = [
  statusCommand,
  listCommand,
  showCommand,
  bodyCommand,
  retryCommand,
  reparseCommand,
  pauseCommand,
  pausesCommand,
  resumeCommand,
  skipCommand,
  outboxCommand,
  rejectionsCommand,
  secretsCommand,
  pruneCommand,
  reconcileCommand,
  coverageCommand,
  findingsCommand,
  migrateCommand,
  configCommand,
  doctorCommand,
];
