import { join } from 'node:path';
import { type Config, secretsOf } from '@mailroom/config';
import type { Logger } from '@mailroom/kernel';
import { createLogger } from '@mailroom/observability';
import { createNotices, type Notices } from './notices.ts';
import { openProgramOutput, type ProgramOutput } from './program-output.ts';
import type { Teardown } from './teardown.ts';

/** Where everything that is said goes: whole into files, what a person should see onto the screen. */
export interface Logging {
  readonly folder: string;
  readonly notices: Notices;
  /** Our own lines go the way of everybody else's. */
  readonly log: Logger;
  readonly openOutput: (name: string) => ProgramOutput;
}

/** Opens `<home>/logs`. Throws when it cannot be written. */
export function openLogging(config: Config, say: (line: string) => void, teardown: Teardown): Logging {
  const folder = join(config.home, 'logs');
  const notices = createNotices((source, text) => say(`${source}: ${text}`));
  const ours = openOutput('local');
  const destination = { write: (line: string) => ours.line(line.trimEnd()) };
  const log = createLogger({ level: config.logLevel, name: 'local', destination, secrets: secretsOf(config) });
  for (const warning of config.warnings) log.warn('config_warning', { warning });
  return { folder, notices, log, openOutput };

  function openOutput(name: string): ProgramOutput {
    const output = openProgramOutput(folder, name, notices);
    teardown.add(output.close);
    return output;
  }
}
