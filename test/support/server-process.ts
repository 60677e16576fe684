import { spawnSync } from 'node:child_process';
import { createServer } from 'node:net';

/** Whom a server of the system runs as that refuses to run as root: its own user, where we are root; else ourselves. */
export function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  if (uid?.status !== 0 || gid?.status !== 0) throw new Error('there is no user "postgres" to run the server as');
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('the system gave no port');
  return address.port;
}
