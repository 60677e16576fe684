import { describeConfig, type Role } from '@mailroom/config';
import { providers } from '@mailroom/providers';
import { Option } from 'commander';
import { mergeDescriptions, usualRoles } from '../config/merge-descriptions.ts';
import { exitCode } from '../exit-code.ts';
import type { OperatorCommand } from '../operator-command.ts';
import { writeConfig } from '../views/config-view.ts';

export const configCommand: OperatorCommand = {
  name: 'config',
  summary: 'what the processes would run with, and what is wrong with it',
  description:
    'Every value with where it came from, secrets redacted, and all problems at once. Without --role: what npm start runs with ' +
    'where DATABASE_URL is unset, otherwise what ingest, worker and ops run with. Connects to nothing, writes nothing.',
  examples: [
    ['config', 'here and now'],
    ['config --role ingest', 'as an ingestor in this environment'],
  ],
  exitCodes: [
    [exitCode.ok, 'valid'],
    [exitCode.no, 'not valid; all problems are listed'],
  ],
  declare: (command) => command.addOption(new Option('--role <role>', 'one process').choices(roles)),
  run: async ({ world, options, json }) => {
    const { role } = options as { readonly role?: Role };
    const sources = { env: world.env, cwd: world.cwd, providers };
    const wanted = role === undefined ? usualRoles(world.env['DATABASE_URL']) : [role];
    const description = mergeDescriptions(wanted.map((each) => describeConfig(each, sources)));
    if (json) world.terminal.json(description);
    else writeConfig(world.terminal, description);
    return description.problems.length === 0 ? exitCode.ok : exitCode.no;
  },
};

const roles: readonly Role[] = ['ingest', 'worker', 'ops', 'reconcile', 'local'];
