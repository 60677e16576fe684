/**
 * The sum of a counter over all its labels, in the text that Prometheus reads
 * (prometheus.io/docs/instrumenting/exposition_formats); null where it does not stand there.
 */
export function readCounter(exposition: string, name: string): number | null {
  const values = exposition.split('\n').flatMap((line) => {
    const labelled = line.startsWith(`${name}{`) || line.startsWith(`${name} `);
    return labelled ? [Number(line.slice(line.lastIndexOf(' ') + 1))] : [];
  });
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}
