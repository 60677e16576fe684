import type { Difference } from './difference.ts';
import type { FoundRows, InboxRow } from './found-rows.ts';
import type { Fate, PostedEvent } from './posted-event.ts';

const endOfFate: Readonly<Record<Fate, string>> = {
  applies: 'processed',
  throws: 'exhausted',
  refused: 'rejected',
  unknown: 'parked',
  unreadable: 'quarantined',
};

/** Every event that was acknowledged is there, ended as it must, with counters that add up, and with one effect or none. */
export function checkInbox(
  posted: ReadonlyMap<string, PostedEvent>,
  { inbox, effects, duplicates, orphans }: FoundRows,
): readonly Difference[] {
  const rows = Map.groupBy(inbox, ({ event_id }) => event_id);
  const effectsOf = new Map(effects.map(({ key, count }) => [key, count]));
  return [
    ...[...posted.values()].flatMap((event) =>
      checkEvent(event, rows.get(event.id) ?? [], effectsOf.get(event.id) ?? 0),
    ),
    ...[...rows.keys()].filter((id) => !posted.has(id)).map((id) => unexpected(id, 'an inbox row')),
    ...[...effectsOf.keys()].filter((id) => !posted.has(id)).map((id) => unexpected(id, 'an effect')),
    ...duplicates.filter(({ key, count }) => count > (posted.get(key)?.posts ?? 0)).map(tooManyDuplicates),
    ...(orphans === 0 ? [] : [unexpected('webhook_delivery', `${orphans} bodies that no event points to`)]),
  ];

  /** An ingestor whose commit got no answer writes again and takes its own row for the earlier one, so each post may count. */
  function tooManyDuplicates({ key, count }: { key: string; count: number }): Difference {
    const posts = posted.get(key)?.posts ?? 0;
    return { kind: 'wrong count', key, detail: `${count} duplicates counted, posted ${posts} times in all` };
  }
}

function checkEvent(event: PostedEvent, rows: readonly InboxRow[], effects: number): readonly Difference[] {
  const difference = (kind: Difference['kind'], detail: string): Difference => ({ kind, key: event.id, detail });
  const [row, ...more] = rows;
  if (!row) {
    if (event.acknowledged > 0)
      return [difference('lost', `acknowledged ${event.acknowledged} times, not in the inbox`)];
    return effects === 0 ? [] : [difference('unexpected', `${effects} effects of an event that is not in the inbox`)];
  }
  const wantedEffects = event.fate === 'applies' ? 1 : 0;
  const wantedState = endOfFate[event.fate];
  return [
    ...(more.length === 0 ? [] : [difference('doubled', `${rows.length} inbox rows`)]),
    ...(effects < wantedEffects ? [difference('lost', `no effect; the row is ${row.state}`)] : []),
    ...(effects > wantedEffects ? [difference('doubled', `${effects} effects, wanted ${wantedEffects}`)] : []),
    ...(row.state === wantedState ? [] : [difference('wrong state', `is ${row.state}, must be ${wantedState}`)]),
    ...(row.event_type === event.type ? [] : [difference('wrong state', `has the type ${row.event_type}`)]),
    ...(row.has_body ? [] : [difference('lost', 'its body')]),
    ...(row.leased ? [difference('left over', 'a lease')] : []),
    ...countersOf(row).map((detail) => difference('wrong count', detail)),
  ];
}

/** Each claim counts an attempt; each that ended otherwise than well left a failure, and an infrastructure failure gave it back. */
function countersOf(row: InboxRow): readonly string[] {
  const { state, attempts, max_attempts, infra_retries, total_attempts, failures, infra_failures } = row;
  // The failure that used up the infrastructure budget gives nothing back.
  const spentInfra = state === 'exhausted' && infra_failures === infra_retries + 1 ? 1 : 0;
  const wantedAttempts = failures + spentInfra + (state === 'processed' || state === 'ignored' ? 1 : 0);
  return [
    ...(attempts === wantedAttempts ? [] : [`${attempts} attempts, but its failures and end make ${wantedAttempts}`]),
    ...(infra_retries + spentInfra === infra_failures
      ? []
      : [`${infra_retries} infrastructure retries, but ${infra_failures} such failures`]),
    ...(attempts <= max_attempts ? [] : [`${attempts} attempts of ${max_attempts}`]),
    ...(total_attempts >= attempts + infra_retries
      ? []
      : [`${total_attempts} attempts in total, fewer than ${attempts} and ${infra_retries}`]),
  ];
}

function unexpected(key: string, what: string): Difference {
  return { kind: 'unexpected', key, detail: what };
}
