// For start-process.test.ts: tells what it was given, then does as it is told by its first argument.
const [, , task] = process.argv;
process.stdout.write(`environment ${Object.keys(process.env).toSorted().join(',')}\n`);
process.stderr.write('a complaint\n');
process.stdout.write('no newline at the end');
if (task === 'stay') {
  process.on('SIGTERM', () => {
    process.stdout.write('\nterminated\n', () => process.exit(7));
  });
  process.stdout.write('\nstaying\n');
  setInterval(() => undefined, 60_000);
}
