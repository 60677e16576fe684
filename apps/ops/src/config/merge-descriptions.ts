import type { ConfigDescription, DescribedEndpoint, DescribedSetting, DescribedSink, Role } from '@mailroom/config';

/** What several roles run with, each thing once. */
export interface MergedDescription {
  readonly roles: readonly Role[];
  readonly settings: readonly DescribedSetting[];
  readonly endpoints: readonly DescribedEndpoint[];
  readonly sinks: readonly DescribedSink[];
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export function mergeDescriptions(descriptions: readonly ConfigDescription[]): MergedDescription {
  const settings = new Map(descriptions.flatMap((each) => each.settings.map((setting) => [setting.name, setting])));
  return {
    roles: descriptions.map(({ role }) => role),
    settings: [...settings.values()],
    // Only ingest, and local in its place, have endpoints.
    endpoints: descriptions.flatMap(({ endpoints }) => endpoints),
    // Only worker, and local in its place, have sinks.
    sinks: descriptions.flatMap(({ sinks }) => sinks),
    problems: [...new Set(descriptions.flatMap(({ problems }) => problems))],
    warnings: [...new Set(descriptions.flatMap(({ warnings }) => warnings))],
  };
}

/** What runs here: npm start where there is no database of one's own, otherwise the processes one by one. */
export function usualRoles(databaseUrl: string | undefined): readonly Role[] {
  return databaseUrl ? ['ingest', 'worker', 'ops'] : ['local'];
}
