import { styleText } from 'node:util';
import { startTestServer } from '../support/test-server.ts';
import { lab } from './lab.ts';
import { patterns } from './registry.ts';

let starting: ReturnType<typeof startTestServer> | undefined;
const stop = async () => {
  await (await starting)?.stop();
};
// What the lab began it also clears away when somebody has seen enough.
process.once('SIGINT', () => void stop().finally(() => process.exit(130)));
// `| head` closes the pipe early; the exit code still tells how it went.
process.stdout.on('error', () => undefined);

try {
  process.exitCode = await lab(process.argv.slice(2), {
    patterns,
    server: () => {
      starting = startTestServer();
      return starting;
    },
    print: (line) => void process.stdout.write(`${line}\n`),
    complain: (line) => void process.stderr.write(`${line}\n`),
    paint: (style, text) => styleText(style, text, { stream: process.stdout }),
  });
} finally {
  await stop();
}
