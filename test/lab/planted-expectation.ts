import { startTestServer } from '../support/test-server.ts';
import { lab } from './lab.ts';
import { patterns } from './registry.ts';

// For lab.test.ts: the lab with a documentation that is wrong about every wrong way.
const planted = patterns.map((pattern) => ({
  ...pattern,
  ways: pattern.ways.map((way) => ({ ...way, expected: way.kind === 'wrong' ? 'booked once' : way.expected })),
}));
const server = await startTestServer();
process.exitCode = await lab(process.argv.slice(2), {
  patterns: planted,
  server: () => Promise.resolve(server),
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  paint: (_, text) => text,
  signal: new AbortController().signal,
});
await server.stop();
