/** What the server's programs inherit: nothing of ours, so that a stray PGDATA, PGOPTIONS or LC_ALL changes nothing. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
