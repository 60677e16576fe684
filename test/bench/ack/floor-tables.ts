/** The least that must be kept of a delivery, in one table. Bytes as Mailroom keeps them: inline, not compressed. */
export const floorTables = `
create table floor_receipt (
  event_id text primary key,
  event_type text not null,
  received_at timestamptz not null default now(),
  body bytea not null
) with (toast_tuple_target = 8160);
alter table floor_receipt alter column body set storage external;
create table floor_receipt_jsonb (
  event_id text primary key,
  event_type text not null,
  received_at timestamptz not null default now(),
  payload jsonb not null
);`;

export const emptyFloorTables = 'truncate floor_receipt, floor_receipt_jsonb';
