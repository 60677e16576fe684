import type { JsonValue } from '@mailroom/kernel';

/** An id as text, exact also for whole numbers beyond 2^53; null where it is no id. */
export function idText(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return value.toString();
  return null;
}
