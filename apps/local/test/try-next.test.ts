import { expect, it } from 'vitest';
import { commandsToTry } from '../src/try-next.ts';

const commands = (env: Record<string, string>, port: number, databaseUrl: string | null = null): readonly string[] =>
  commandsToTry({ home: "/srv/it's here", databaseUrl }, port, env).map(([command]) => command);

it('gives commands that work as they are where everything is as usual', () => {
  expect(commands({}, 8080)).toEqual([
    'npm run send -- stripe invoice.paid',
    'npm run send -- storm',
    'npm run mailroom -- status',
  ]);
});

it('first sets what this terminal chose by variable', () => {
  const [first, ...rest] = commands({ MAILROOM_HOME: 'anything' }, 9000);
  expect(first).toBe("export MAILROOM_HOME='/srv/it'\\''s here' PORT=9000");
  expect(rest).toEqual(commands({}, 8080));
});

it('never shows the password of a database, but says that its address is needed', () => {
  const tryNext = commandsToTry({ home: '/srv', databaseUrl: 'postgres://me:hunter2@db/x' }, 8080, {});
  expect(JSON.stringify(tryNext)).not.toContain('hunter2');
  expect(JSON.stringify(tryNext)).toContain('DATABASE_URL');
});
