import type { DB } from '@mailroom/db';
import { type Kysely, sql } from 'kysely';
import type { HourCounts } from './coverage.ts';

export interface CoverageFilter {
  readonly since: Date;
  readonly until: Date;
  readonly provider: string | null;
  readonly endpoint: string | null;
  readonly eventType: string | null;
}

export interface CoverageRow extends HourCounts {
  readonly hour: Date;
  readonly provider: string;
  readonly endpoint: string;
  readonly eventType: string;
}

/** What sweeps have found, by hour and type, all accounts of an endpoint together; the oldest first. Read only. */
export async function readCoverage(db: Kysely<DB>, filter: CoverageFilter): Promise<readonly CoverageRow[]> {
  const { rows } = await sql<CoverageRow>`
    select hour, provider, endpoint, event_type as "eventType",
      sum(expected)::int as expected, sum(received)::int as received, sum(late)::int as late, sum(injected)::int as injected
    from reconcile_coverage
    where hour >= ${filter.since} and hour < ${filter.until}
      and (${filter.provider}::text is null or provider = ${filter.provider})
      and (${filter.endpoint}::text is null or endpoint = ${filter.endpoint})
      and (${filter.eventType}::text is null or event_type = ${filter.eventType})
    group by hour, provider, endpoint, event_type
    order by hour, provider, endpoint, event_type`.execute(db);
  return rows;
}

export interface SweptEndpoint {
  readonly provider: string;
  readonly endpoint: string;
  /** Of the account that is furthest behind. */
  readonly sweptUntil: Date;
}

/** How far each endpoint has been swept. Read only. */
export async function sweptEndpoints(db: Kysely<DB>): Promise<readonly SweptEndpoint[]> {
  const { rows } = await sql<SweptEndpoint>`
    select provider, endpoint, min(swept_until) as "sweptUntil" from reconcile_cursors
    group by provider, endpoint order by provider, endpoint`.execute(db);
  return rows;
}
