import { createServer } from 'node:net';
import { CodedError } from '@mailroom/kernel';

/** Where everything listens. */
export interface Ports {
  readonly deliveries: number;
  readonly ingestAdmin: number;
  readonly workerAdmin: readonly number[];
}

/**
 * Settles the ports before anything is started, so that a newcomer reads one sentence instead of watching three programs
 * restart: `port`, `adminPort` and one more for each worker after it; 0 picks free ones. Throws `port_unusable` with every
 * problem, one a line.
 */
export async function choosePorts(
  host: string,
  given: { readonly port: number; readonly adminPort: number },
  workers: number,
): Promise<Ports> {
  const numbers = [
    given.port,
    ...Array.from({ length: workers + 1 }, (_, n) => given.adminPort && given.adminPort + n),
  ];
  const problems: string[] = [];
  const chosen: number[] = [];
  for (const [index, port] of numbers.entries()) {
    const variable = index === 0 ? 'PORT' : 'ADMIN_PORT';
    const attempt = chosen.includes(port) ? 'is wanted twice' : await tryPort(host, port);
    if (typeof attempt === 'number') chosen.push(attempt);
    else
      problems.push(`port ${port} ${attempt}. Choose another with ${variable}, for example ${advice(variable, port)}`);
  }
  if (problems.length > 0) throw new CodedError('port_unusable', problems.join('\n'));
  const [deliveries = 0, ingestAdmin = 0, ...workerAdmin] = chosen;
  return { deliveries, ingestAdmin, workerAdmin };
}

/** The port that could be opened, or why none could. */
async function tryPort(host: string, port: number): Promise<number | string> {
  if (port > 65_535) return 'does not exist';
  const server = createServer();
  const outcome = await new Promise<number | string>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(reasonFor(error, host)));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
  if (typeof outcome === 'number') await new Promise((resolve) => server.close(resolve));
  return outcome;
}

function reasonFor(error: NodeJS.ErrnoException, host: string): string {
  if (error.code === 'EADDRINUSE') return `is in use on ${host}, perhaps by another Mailroom`;
  if (error.code === 'EACCES') return 'needs more rights than this user has';
  return `cannot be used on ${host} (${error.code ?? error.message})`;
}

function advice(variable: string, port: number): string {
  // Ten further on is clear of our own three or four.
  const other = port < 1024 || port > 65_000 ? 9000 : port + 10;
  return `${variable}=${other} npm start`;
}
