import type { Database } from '@mailroom/db';

/** A table or view that is compared, without the columns that differ by nature. */
export interface ComparedTable {
  /** As the test names it. */
  readonly name: string;
  /** Quoted, for a statement. */
  readonly relation: string;
  /** Columns, and places inside a column of JSON: `['payload', 'due_at']`. */
  readonly ignored: readonly (readonly string[])[];
}

/**
 * Finds out what of each table says nothing about a handler: columns that the database fills by itself (identities, sequences,
 * random ids, the time of writing), columns that refer to such a one, and where the event came from. `ignore` adds to that, as
 * `column` in every table, as `table.column`, or as `table.column.field` of a column of JSON. Throws where a table or a column is
 * not there.
 */
export async function comparedTables(
  { pool }: Database,
  names: readonly string[],
  ignore: readonly string[],
): Promise<readonly ComparedTable[]> {
  const tables: ComparedTable[] = [];
  const unknown = new Set(ignore);
  for (const name of names) {
    const { rows } = await pool.query<{ relation: string | null }>('select to_regclass($1)::text as relation', [name]);
    const relation = rows[0]?.relation;
    if (!relation) throw new Error(`there is no table or view ${name}`);
    const columns = await pool.query<{ name: string; generated: boolean }>(columnsOf, [relation]);
    const ignored = columns.rows.flatMap((column) => {
      const full = `${name}.${column.name}`;
      const asked = ignore.filter((way) => way === column.name || way === full || way.startsWith(`${full}.`));
      for (const way of asked) unknown.delete(way);
      const places = asked.map((way) => (way === column.name ? [way] : way.slice(name.length + 1).split('.')));
      const always = column.generated || alwaysIgnored.has(column.name) || alwaysIgnored.has(full);
      return always ? [[column.name]] : places;
    });
    tables.push({ name, relation, ignored });
  }
  if (unknown.size > 0) throw new Error(`no table that is compared has a column ${[...unknown].join(', ')}`);
  return tables;
}

// The kit delivers to two endpoints; and which of several events told a fact first is a matter of arrival.
const alwaysIgnored: ReadonlySet<string> = new Set(['endpoint', 'outbox.event_id']);

const columnsOf = `
  with recursive generated (relation, place) as (
    select a.attrelid, a.attnum
    from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0
      and (
        a.attidentity <> ''
        or pg_get_expr(d.adbin, d.adrelid) ~* '\\m(nextval|gen_random_uuid|uuidv[47]|now|[a-z]+_timestamp)\\M'
      )
    union
    select c.conrelid, pair.place
    from generated g
    join pg_constraint c on c.contype = 'f' and c.confrelid = g.relation
    cross join unnest(c.conkey, c.confkey) as pair (place, target)
    where pair.target = g.place
  )
  select a.attname as name, exists (
    select from generated g where g.relation = a.attrelid and g.place = a.attnum
  ) as generated
  from pg_attribute a
  where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`;
