import type pg from 'pg';

/** The same business tables for every contender: what three writes an event go to. */
export const businessTables = `
create table bench_invoice (
  invoice_id text primary key,
  customer text not null,
  status text not null,
  amount bigint not null,
  updated_at timestamptz not null default now()
);
create table bench_ledger (
  invoice_id text not null,
  kind text not null,
  amount bigint not null,
  event_id text not null,
  booked_at timestamptz not null default now(),
  primary key (invoice_id, kind)
);
create table bench_outbox (
  outbox_id bigint generated always as identity primary key,
  topic text not null,
  aggregate text not null,
  payload jsonb not null,
  created_at timestamptz not null default now()
);`;

export const emptyBusinessTables = 'truncate bench_invoice, bench_ledger, bench_outbox';

/** Throws unless exactly these many events took effect, each once. */
export async function checkBusiness(pool: pg.Pool, expected: number): Promise<void> {
  const { rows } = await pool.query<Record<string, string>>(`select
    (select count(*) from bench_invoice) as invoices,
    (select count(*) from bench_ledger) as entries,
    (select count(*) from bench_outbox) as messages,
    (select count(distinct aggregate) from bench_outbox) as announced`);
  const [found = {}] = rows;
  for (const [name, count] of Object.entries(found)) expectCount(name, Number(count), expected);
}

/** A wrong end state is a wrong bench: its figures are worth nothing. */
export function expectCount(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`expected ${expected} ${what}, found ${found}`);
}
