import type { Database } from '@mailroom/db';
import { escapeLiteral } from 'pg';
import type { ComparedTable } from './compared-columns.ts';

/** What the handlers left: the rows of each compared table as canonical JSON texts, sorted, without what is ignored. */
export type EndState = ReadonlyMap<string, readonly string[]>;

/** Reads all tables in one snapshot. The order of rows says nothing and is lost. */
export async function readEndState({ pool }: Database, tables: readonly ComparedTable[]): Promise<EndState> {
  const statements = tables.map(({ relation, ignored }, index) => {
    const removals = ignored.map((place) => ` #- array[${place.map(escapeLiteral).join(', ')}]`).join('');
    return `select ${index} as place, (to_jsonb(t)${removals})::text as text from ${relation} as t`;
  });
  const { rows } = await pool.query<{ place: number; text: string }>(
    `select * from (${statements.join(' union all ')}) as rows order by place, text collate "C"`,
  );
  return new Map(
    tables.map(({ name }, index) => [name, rows.filter(({ place }) => place === index).map(({ text }) => text)]),
  );
}

/** Where two end states differ, for a person: `-` was expected, `+` was found. Null where they do not. */
export function differenceOf(expected: EndState, found: EndState): string | null {
  const lines: string[] = [];
  for (const [table, rows] of expected) {
    const missing = without(rows, found.get(table) ?? []);
    const extra = without(found.get(table) ?? [], rows);
    if (missing.length === 0 && extra.length === 0) continue;
    lines.push(`  ${table}`, ...missing.map((row) => `    - ${row}`), ...extra.map((row) => `    + ${row}`));
    lines.push(...columnsThatDiffer(missing, extra));
  }
  return lines.length === 0 ? null : lines.join('\n');
}

/** Multisets: a row that is there twice and expected once is one too many. */
function without(rows: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const row of others) left.set(row, (left.get(row) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(row) ?? 0;
    left.set(row, count - 1);
    return count <= 0;
  });
}

function columnsThatDiffer(missing: readonly string[], extra: readonly string[]): string[] {
  if (missing.length !== 1 || extra.length !== 1) return [];
  const [before, after] = [missing, extra].map(([row]) => JSON.parse(row ?? '{}') as Readonly<Record<string, unknown>>);
  const names = Object.keys(before ?? {}).filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]),
  );
  return [`    differs in: ${names.join(', ')}`];
}
