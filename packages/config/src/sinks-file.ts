import { z } from 'zod';
import type { Environment } from './environment.ts';
import type { Problem } from './problem.ts';
import { readJsonFile } from './read-json-file.ts';
import { shapeProblems } from './shape-problems.ts';
import { readSinkEntry, type SourcedSink } from './sink-entry.ts';

export interface SinksRequest {
  readonly file: string;
  /** The file was named by a variable, so that its absence is a mistake. */
  readonly fileIsNamed: boolean;
  readonly env: Environment;
  readonly report: (problem: Problem) => void;
}

/** The sinks of a file; none where there is no file. Everything wrong with it is reported, in one go, and left out of the result. */
export function resolveSinks({ file, fileIsNamed, env, report }: SinksRequest): readonly SourcedSink[] {
  const content = readJsonFile(file);
  if ('missing' in content) {
    if (fileIsNamed) {
      const right = 'the path of the sinks file (docs/outbox.md)';
      report({ name: 'MAILROOM_SINKS_FILE', found: `that ${file} does not exist`, right });
    }
    return [];
  }
  if ('found' in content) {
    report({ name: file, found: content.found, right: 'strict JSON: {"sinks": [...]}, no comments' });
    return [];
  }
  const parsed = fileSchema.safeParse(content.value);
  if (!parsed.success) {
    for (const problem of shapeProblems(parsed.error, content.value, file, fileShape)) report(problem);
    return [];
  }
  const sinks = parsed.data.sinks.flatMap((entry, index) => {
    const read = readSinkEntry(entry, { place: `${file}: sinks[${index}]`, file, env, report });
    return read === null ? [] : [{ ...read, index }];
  });
  for (const { sink, index } of sinks) {
    const earlier = sinks.filter((other) => other.index < index);
    const place = `${file}: sinks[${index}]`;
    if (earlier.some((other) => other.sink.name === sink.name)) {
      report({ name: `${place}.name`, found: `"${sink.name}" again`, right: 'a name of its own' });
    }
    for (const [at, topic] of sink.topics.entries()) {
      const taken = earlier.find((other) => other.sink.topics.includes(topic));
      if (taken === undefined && sink.topics.indexOf(topic) === at) continue;
      const found = `"${topic}", which sinks[${taken?.index ?? index}] takes`;
      report({ name: `${place}.topics[${at}]`, found, right: 'each topic once: a message goes to one sink' });
    }
  }
  return sinks;
}

const fileSchema = z.strictObject({ sinks: z.array(z.unknown()).min(1) });
const fileShape = { keys: ['sinks'], right: { sinks: 'a list of at least one sink' }, unquoted: ['sinks'] };
