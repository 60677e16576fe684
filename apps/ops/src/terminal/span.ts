/** Seconds as a person says them: two units at most, `0s` for nothing. */
export function spanOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const largest = units.findIndex(([size]) => whole >= size);
  if (largest === -1) return '0s';
  const [size, name] = units[largest] ?? [1, 's'];
  const count = Math.floor(whole / size);
  const [nextSize, nextName] = units[largest + 1] ?? [0, ''];
  const rest = nextSize === 0 ? 0 : Math.floor((whole % size) / nextSize);
  return rest === 0 ? `${count}${name}` : `${count}${name} ${rest}${nextName}`;
}

/** How long before `now` something was: `4m 10s ago`, or `in 40s` when it is still to come. */
export function ago(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1000;
  if (Math.round(Math.abs(seconds)) === 0) return seconds >= 0 ? 'just now' : 'in a moment';
  return seconds >= 0 ? `${spanOf(seconds)} ago` : `in ${spanOf(-seconds)}`;
}

/** A point in time for people and for searching logs: UTC to the second. */
export function instant(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** The same, and how far away it is. */
export function moment(at: Date, now: Date): string {
  return `${instant(at)}  (${ago(at, now)})`;
}

const units: readonly (readonly [seconds: number, name: string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
];
