import type { Tx } from '@mailroom/db';
import { type SilentType, standingOf } from '@mailroom/reconcile';
import { spanOf } from '../terminal/span.ts';
import { typed } from '../terminal/typed.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

/** Looks at what sweeps and comparisons have left, and for event types that have stopped coming. Of a migrated database. Reads only. */
export async function reconciliationFindings(tx: Tx): Promise<readonly Finding[]> {
  const { silent, openFindings, sweptAgeSeconds } = await standingOf(tx);
  return [
    ...(silent.length === 0 ? [fine('silence', 'no event type has stopped coming')] : silent.map(silenceFinding)),
    ...(openFindings === 0 ? [] : [wrong('findings', `${openFindings} open`, `See ${typed('findings')}`)]),
    ...sweepFinding(sweptAgeSeconds),
  ];
}

function silenceFinding({ provider, endpoint, eventType, silentHours, usualHours }: SilentType): Finding {
  const found = `${eventType} has not come for ${spanOf(silentHours * 3600)}; its pauses are ${spanOf(usualHours * 3600)} at most`;
  const advice = `Has the provider stopped sending? ${typed(`reconcile events --endpoint ${provider}/${endpoint} --dry-run`)}`;
  return wrong(`${provider}/${endpoint}`, found, advice);
}

function sweepFinding(ageSeconds: number | null): readonly Finding[] {
  if (ageSeconds === null) return [];
  const found = `the list that is furthest behind was swept until ${spanOf(ageSeconds)} ago`;
  if (ageSeconds < lateSeconds) return [fine('reconciliation', found)];
  return [
    note('reconciliation', found, `It should run by itself, from cron for example: ${typed('reconcile events')}`),
  ];
}

const lateSeconds = 86_400;
