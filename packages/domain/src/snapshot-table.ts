import type { DB, Tx } from '@mailroom/db';
import { type RawBuilder, sql } from 'kysely';
import { returnsOldRows } from './returns-old-rows.ts';

type SnapshotTableName = {
  [Table in keyof DB]: 'snapshot_event_id' | 'contested' extends keyof DB[Table] ? Table : never;
}[keyof DB];

type Column<Table extends SnapshotTableName> = Extract<
  Exclude<keyof DB[Table], 'stage' | 'snapshot_at' | 'step' | 'snapshot_event_id' | 'contested' | 'updated_at'>,
  string
>;

type SqlType = 'text' | 'int4' | 'int8' | 'numeric' | 'boolean' | 'timestamptz';
type Value = string | number | bigint | boolean | Date | null;

/** One object as one event shows it. */
export interface Snapshot<Key extends string, Content extends string> {
  readonly key: Readonly<Record<Key, Value>>;
  readonly content: Readonly<Record<Content, Value>>;
  /** What never goes back, greatest last: a subscription that ended does not begin again. 0 where there is no such thing. */
  readonly stage: number;
  /** The provider's time. */
  readonly at: Date;
  /** What comes first within one time, as far as the snapshot itself tells; else 0. */
  readonly step: number;
  readonly eventId: string;
}

/** The row after the statement, whichever event it shows. */
export interface Kept {
  readonly stage: number;
  readonly at: Date;
  /** Events of this very stage, time and step showed different things: which is true is not known. */
  readonly contested: boolean;
  /** The row is new in this transaction's statement. */
  readonly inserted: boolean;
}

export interface SnapshotTable<Key extends string, Content extends string> {
  /** Answers in the order of the snapshots; those of one object get the same answer. */
  keepGreatest(tx: Tx, snapshots: readonly Snapshot<Key, Content>[]): Promise<readonly Kept[]>;
}

/**
 * A table of copies that shows, of each object, the greatest snapshot seen: by stage, then time, then step, then event id. That
 * is a total order, so a row ends the same in every order of arrival. An identical replay and an older snapshot write no row
 * version, but the row is locked until the transaction ends all the same. Where one statement is given an object twice, the
 * greater is kept: `ON CONFLICT DO UPDATE` by itself would refuse the second ("cannot affect row a second time").
 * Rows are taken in key order, so two statements over the same objects take turns and never deadlock.
 */
export function snapshotTable<
  Table extends SnapshotTableName,
  Key extends Column<Table>,
  Content extends Column<Table>,
>(definition: SnapshotTableDefinition<Table, Key, Content>): SnapshotTable<Key, Content> {
  const { table } = definition;
  const keys = Object.keys(definition.key) as Key[];
  const content = Object.keys(definition.content) as Content[];
  const given = [...keys, ...content, ...moment, 'snapshot_event_id'];
  const replaced = [...content, ...moment, 'snapshot_event_id', 'updated_at'];

  const later = sql`(${of('excluded', moment)}) > (${of('kept', moment)})`;
  const sameMoment = sql`(${of('excluded', moment)}) = (${of('kept', moment)})`;
  const greater = sql`(${of('excluded', moment)}, excluded.snapshot_event_id collate "C")
    > (${of('kept', moment)}, kept.snapshot_event_id collate "C")`;
  const differs = sql`(${of('excluded', content)}) is distinct from (${of('kept', content)})`;
  const contested = sql`(kept.contested or excluded.contested or ${differs})`;
  const answer = sql`${of('kept', keys)}, kept.stage, kept.snapshot_at as at, kept.contested`;

  return {
    async keepGreatest(tx, snapshots) {
      if (snapshots.length === 0) return [];
      const kept = await upsert(tx, snapshots);
      const unwritten = snapshots.filter(({ key }) => !kept.has(nameOf(key)));
      if (unwritten.length > 0) for (const [name, row] of await find(tx, unwritten)) kept.set(name, row);
      return snapshots.map(({ key }) => present(kept.get(nameOf(key))));
    },
  };

  async function upsert(tx: Tx, snapshots: readonly Snapshot<Key, Content>[]): Promise<Map<string, Kept>> {
    const inserted = (await returnsOldRows(tx)) ? sql`(old.stage is null)` : sql`(kept.xmax = 0)`;
    const { rows } = await sql<KeptRow<Key>>`
      with given as (
        select * from unnest(
          ${sql.join([...keyArrays(snapshots), ...contentArrays(snapshots)])},
          ${snapshots.map(({ stage }) => stage)}::int2[], ${snapshots.map(({ at }) => at)}::timestamptz[],
          ${snapshots.map(({ step }) => step)}::int2[], ${snapshots.map(({ eventId }) => eventId)}::text[]
        ) as given (${plain(given)})
      ), ranked as (
        select *,
          min(row(${plain(content)})::text) over same <> max(row(${plain(content)})::text) over same as contested,
          row_number() over (
            partition by ${plain(keys)}
            order by stage desc, snapshot_at desc, step desc, snapshot_event_id collate "C" desc
          ) as place
        from given
        window same as (partition by ${plain([...keys, ...moment])})
      )
      insert into ${sql.table(table)} as kept (${plain(given)}, contested, updated_at)
      select ${plain(given)}, contested, now() from ranked where place = 1 order by ${plain(keys)}
      on conflict (${plain(keys)}) do update set
        ${sql.join(replaced.map((name) => sql`${sql.ref(name)} = case when ${greater} then ${of('excluded', [name])} else ${of('kept', [name])} end`))},
        contested = case when ${later} then excluded.contested else ${contested} end
      where ${greater} or ${sameMoment} and ${contested} and not kept.contested
      returning ${answer}, ${inserted} as inserted`.execute(tx);
    return new Map(rows.map((row) => [nameOf(row), keptOf(row)]));
  }

  async function find(tx: Tx, snapshots: readonly Snapshot<Key, Content>[]): Promise<Map<string, Kept>> {
    const { rows } = await sql<KeptRow<Key>>`
      select ${answer}, false as inserted from ${sql.table(table)} as kept
      where (${of('kept', keys)}) in (
        select * from unnest(${sql.join(keyArrays(snapshots))})
      )`.execute(tx);
    return new Map(rows.map((row) => [nameOf(row), keptOf(row)]));
  }

  function keyArrays(snapshots: readonly Snapshot<Key, Content>[]) {
    return keys.map((name) =>
      arrayOf(
        definition.key[name],
        snapshots.map(({ key }) => key[name]),
      ),
    );
  }

  function contentArrays(snapshots: readonly Snapshot<Key, Content>[]) {
    return content.map((name) =>
      arrayOf(
        definition.content[name],
        snapshots.map((snapshot) => snapshot.content[name]),
      ),
    );
  }

  /** pg gives int8 back as text, as `String` makes it of a bigint. */
  function nameOf(row: Readonly<Record<Key, Value>>): string {
    return keys.map((key) => String(row[key])).join(' ');
  }
}

export interface SnapshotTableDefinition<Table, Key extends string, Content extends string> {
  readonly table: Table;
  readonly key: Readonly<Record<Key, SqlType>>;
  readonly content: Readonly<Record<Content, SqlType>>;
}

type KeptRow<Key extends string> = Readonly<Record<Key, string>> & Kept;

const moment = ['stage', 'snapshot_at', 'step'] as const;

function arrayOf(type: SqlType, values: readonly Value[]): RawBuilder<unknown> {
  return sql`${values}::${sql.raw(type)}[]`;
}

function of(row: 'excluded' | 'kept', names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(`${row}.${name}`)));
}

function plain(names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(name)));
}

function keptOf({ stage, at, contested, inserted }: Kept): Kept {
  return { stage, at, contested, inserted };
}

function present(kept: Kept | undefined): Kept {
  if (!kept) throw new Error('a row that this transaction has locked is gone');
  return kept;
}
