import { styleText } from 'node:util';
import { startTestServer } from '../support/test-server.ts';
import { lab } from './lab.ts';
import { patterns } from './registry.ts';

const interrupted = new AbortController();
// The second one ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort());
// `| head` closes the pipe early; the exit code still tells how it went.
process.stdout.on('error', () => undefined);

let server: Awaited<ReturnType<typeof startTestServer>> | undefined;
try {
  process.exitCode = await lab(process.argv.slice(2), {
    patterns,
    server: async () => {
      server = await startTestServer();
      return server;
    },
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
    paint: (style, text) => styleText(style, text, { stream: process.stdout }),
    signal: interrupted.signal,
  });
} finally {
  await server?.stop();
}
