import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { DataAccess } from './data-access.ts';
import { serverEnvironment } from './server-environment.ts';
import { type ServerUser, spawnAs } from './server-user.ts';

/** The server with a guard between it and us. */
export interface GuardedServer {
  readonly pid: number;
  /** Resolves when the guard ended, which is when the server did, unless somebody killed the guard. */
  readonly guardEnded: Promise<void>;
  /** Asks the guard to stop the server. From then on the guard keeps this process alive until it ended. */
  readonly letGo: () => void;
}

/**
 * Starts the server under a guard that stops it when we are gone, however we went: its standard input is a pipe from us, and
 * at its end the guard sends SIGINT, a fast shutdown. In a session of its own, so that a Ctrl-C in the terminal reaches us
 * and not the server, which must outlive the workers' drain.
 */
export async function startGuarded(options: {
  readonly command: readonly string[];
  readonly user: ServerUser | null;
  readonly access: DataAccess;
  readonly logDescriptor: number;
}): Promise<GuardedServer> {
  const child = spawn('/bin/sh', ['-c', guardScript, 'mailroom-postgres-guard', ...options.command], {
    ...spawnAs(options.user),
    cwd: '/',
    detached: true,
    env: serverEnvironment,
    stdio: ['pipe', 'pipe', options.logDescriptor, options.access.descriptor ?? 'ignore'],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the guard was started without its pipes');
  // The guard may be gone before we let go of it; its pipe then says so.
  stdin.on('error', () => undefined);
  const guardEnded = once(child, 'exit').then(() => undefined);
  const pid = await Promise.race([
    once(createInterface(stdout), 'line').then(([line]) => Number(line)),
    guardEnded.then(() => Promise.reject(new Error('the guard ended before it started the server'))),
  ]);
  child.unref();
  if (stdin instanceof Socket) stdin.unref();
  return {
    pid,
    guardEnded,
    letGo: () => {
      child.ref();
      stdin.destroy();
    },
  };
}

// The shell waits for the server; a second process of its own reads until the pipe ends. Either may be killed alone: without
// the shell the reader still stops the server. Redirections are spelled out because a shell gives what it starts in the
// background /dev/null for input. Descriptor 3 is the data folder (data-access.ts) and goes to the server alone.
const guardScript = `
exec 4<&0 </dev/null
"$@" </dev/null >&2 4<&- &
server=$!
echo "$server"
exec >&2
(while read -r line; do :; done <&4; kill -INT "$server") 2>/dev/null 3<&- &
reader=$!
exec 3<&- 4<&-
wait "$server"
status=$?
kill "$reader" 2>/dev/null
exit "$status"
`;
