import type { SweepProgress } from '@mailroom/reconcile';
import { count } from '../terminal/count.ts';
import { instant } from '../terminal/span.ts';
import { visible } from '../terminal/visible.ts';
import { placeOf } from './reconciliation.ts';

/** How far a sweep is, as one line: a bar over its span of time. */
export function progressLine({ source, window, at, seen }: SweepProgress): string {
  const spanMs = window.until.getTime() - window.since.getTime();
  const part = spanMs === 0 ? 1 : (at.getTime() - window.since.getTime()) / spanMs;
  const done = Math.round(part * width);
  const bar = `${'#'.repeat(done)}${'.'.repeat(width - done)}`;
  const place = placeOf(source) + (source.account === null ? '' : ` ${visible(source.account)}`);
  return `[${bar}] ${String(Math.floor(part * 100)).padStart(3)} %  ${place}  ${instant(at)}  ${count(seen)} events`;
}

const width = 30;
