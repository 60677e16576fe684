import { z } from 'zod';
import { type EndpointContext, readEndpointEntry, type SourcedEndpoint } from './endpoint-entry.ts';
import { readJsonFile } from './read-json-file.ts';
import { shapeProblems } from './shape-problems.ts';

/**
 * The endpoints of a file; null where the file does not exist. Everything wrong with it is reported, in one go, and left
 * out of the result.
 */
export function readEndpointsFile(path: string, context: EndpointContext): readonly SourcedEndpoint[] | null {
  const content = readJsonFile(path);
  if ('missing' in content) return null;
  if ('found' in content) {
    context.report({ name: path, found: content.found, right: 'strict JSON: {"endpoints": [...]}, no comments' });
    return [];
  }
  const file = fileSchema.safeParse(content.value);
  if (!file.success) {
    for (const problem of shapeProblems(file.error, content.value, path, fileShape)) context.report(problem);
  }
  const firstPlaces = new Map<string, number>();
  return entriesOf(content.value).flatMap((entry, index) => {
    const place = `${path}: endpoints[${index}]`;
    const read = readEndpointEntry(entry, place, path, context);
    const pair = pairOf(entry);
    const first = pair === null ? undefined : firstPlaces.get(pair);
    if (first !== undefined) {
      const found = `the same provider and endpoint as endpoints[${first}]`;
      context.report({ name: place, found, right: 'one entry for each endpoint, with all its secrets' });
      return [];
    }
    if (pair !== null) firstPlaces.set(pair, index);
    return read === null ? [] : [read];
  });
}

const fileSchema = z.strictObject({ endpoints: z.array(z.unknown()).min(1) });
const fileShape = {
  keys: ['endpoints'],
  right: { endpoints: 'a list of at least one endpoint' },
  unquoted: ['endpoints'],
};

function entriesOf(value: unknown): readonly unknown[] {
  const list = z.object({ endpoints: z.array(z.unknown()) }).safeParse(value);
  return list.success ? list.data.endpoints : [];
}

/** What an entry names, so that a repeated one is found even where it is wrong in other ways. */
function pairOf(entry: unknown): string | null {
  const pair = z.object({ provider: z.string(), endpoint: z.string() }).safeParse(entry);
  return pair.success ? `${pair.data.provider}/${pair.data.endpoint}` : null;
}
