import type { Sink, SinkRoute } from './sink.ts';

/** The sink of a topic; undefined where nobody takes it. */
export type FindSink = (topic: string) => Sink | undefined;

/**
 * Looks topics up. The most specific route wins, whatever their order: the topic itself, then the longest `prefix.*`, then `*`. Of two
 * routes with the same pattern the first counts.
 */
export function sinkLookup(routes: readonly SinkRoute[]): FindSink {
  const exact = new Map<string, Sink | null>();
  const prefixes: { readonly prefix: string; readonly sink: Sink | null }[] = [];
  for (const { topics, sink } of routes) {
    for (const pattern of topics) {
      if (pattern.endsWith('*')) prefixes.push({ prefix: pattern.slice(0, -1), sink });
      else if (!exact.has(pattern)) exact.set(pattern, sink);
    }
  }
  prefixes.sort((a, b) => b.prefix.length - a.prefix.length);
  return (topic) => {
    const sink = exact.get(topic);
    return (sink === undefined ? prefixes.find(({ prefix }) => topic.startsWith(prefix))?.sink : sink) ?? undefined;
  };
}
