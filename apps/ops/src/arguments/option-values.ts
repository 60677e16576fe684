import { InvalidArgumentError } from 'commander';

/** An age with its unit, in seconds. */
export function seconds(text: string): number {
  const found = /^(\d{1,9})(s|m|h|d)$/.exec(text);
  const size = found?.[2] === undefined ? undefined : unitSeconds.get(found[2]);
  if (found === null || size === undefined) {
    throw new InvalidArgumentError('Write a number and its unit: 90s, 15m, 2h or 3d.');
  }
  return Number(found[1]) * size;
}

/** A moment: how long ago, `6h`, or a time with its offset, `2026-11-30T06:00:00Z`. */
export function moment(text: string): Date {
  if (/^\d+[smhd]$/.test(text)) return new Date(Date.now() - seconds(text) * 1000);
  const at = new Date(text);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(at.getTime())) return at;
  throw new InvalidArgumentError('Write how long ago (6h, 3d), or a time with its offset: 2026-11-30T06:00:00Z.');
}

/** Text that says something. */
export function given(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

export function pageSize(text: string): number {
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size < 1 || size > 1000) throw new InvalidArgumentError('Write a number from 1 to 1000.');
  return size;
}

export function partitionCount(text: string): number {
  const partitions = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (partitions < 2 || partitions > 256) throw new InvalidArgumentError('Write a number from 2 to 256.');
  return partitions;
}

const unitSeconds = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
]);
