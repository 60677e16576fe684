import type { EventKey, InboxState } from '@mailroom/kernel';
import type { EventFilter } from '../queries/event-filter.ts';
import { shellWord, typed } from '../terminal/typed.ts';
import type { EndpointChoice } from './endpoint-option.ts';

/** What commander makes of the options of `list`. */
export interface ListOptions {
  readonly state?: readonly InboxState[];
  readonly endpoint?: EndpointChoice;
  readonly type?: string;
  readonly olderThan?: number;
  readonly newerThan?: number;
  readonly error?: string;
  readonly limit: number;
  readonly after?: EventKey;
  readonly keys?: boolean;
}

export function filterOf(options: ListOptions, endpoint: EndpointChoice | null): EventFilter {
  return {
    states: options.state ?? [],
    provider: endpoint?.provider ?? null,
    endpoint: endpoint?.endpoint ?? null,
    eventType: options.type ?? null,
    olderThanSeconds: options.olderThan ?? null,
    newerThanSeconds: options.newerThan ?? null,
    error: options.error ?? null,
  };
}

/** The command of the next page, to be pasted. */
export function nextCommand(options: ListOptions, next: string): string {
  const words = ['list'];
  const add = (flag: string, value: string | undefined) => {
    if (value !== undefined) words.push(flag, shellWord(value));
  };
  for (const state of options.state ?? []) add('--state', state);
  add(
    '--endpoint',
    options.endpoint && [options.endpoint.provider, options.endpoint.endpoint].filter(Boolean).join('/'),
  );
  add('--type', options.type);
  add('--older-than', age(options.olderThan));
  add('--newer-than', age(options.newerThan));
  add('--error', options.error);
  add('--limit', String(options.limit));
  if (options.keys) words.push('--keys');
  add('--after', next);
  return typed(words.join(' '));
}

function age(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `${seconds}s`;
}
