import type { Config } from '@mailroom/config';

/** Commands a newcomer can paste into another terminal, each with what it does. */
export function commandsToTry(
  config: Pick<Config, 'databaseUrl' | 'home'>,
  port: number,
  env: Readonly<NodeJS.ProcessEnv>,
): readonly (readonly [command: string, what: string])[] {
  // What was chosen by variable in this terminal is not known in the other one.
  const chosen = [
    ...(env['MAILROOM_HOME'] ? [`MAILROOM_HOME=${shellWord(config.home)}`] : []),
    ...(port === defaultPort ? [] : [`PORT=${port}`]),
  ];
  // A database is never shown: its URL may hold a password.
  const remark = config.databaseUrl === null ? '' : ' (with the same DATABASE_URL)';
  return [
    ...(chosen.length === 0 ? [] : [[`export ${chosen.join(' ')}`, ''] as const]),
    ['npm run send -- stripe invoice.paid', 'post one signed sample'],
    ['npm run send -- storm', `post hundreds, check the books${remark}`],
    ['npm run mailroom -- status', `see what an operator sees${remark}`],
  ];
}

const defaultPort = 8080;

function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
