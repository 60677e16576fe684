/** A column's value as text; null as in SQL. */
export type Cell = string | null;

/** What a column must hold: one value, or any of several where the order of arrival decides. */
export type Wanted = Cell | readonly Cell[];

export interface WantedRow {
  readonly cells: Readonly<Record<string, Wanted>>;
  /** Rows of one name, over all tables, are there all together or not at all. Absent: this row must be there. */
  readonly allOrNone?: string;
}

/** Rows by a key that names each of them for a person. */
export type WantedRows = ReadonlyMap<string, WantedRow>;
export type FoundRow = Readonly<Record<string, Cell>>;
/** Several rows under one key are a double. */
export type FoundRows = ReadonlyMap<string, readonly FoundRow[]>;

export interface Difference {
  readonly table: string;
  readonly key: string;
  readonly kind: 'missing' | 'double' | 'unexpected' | 'different';
  /** For a person: what was wanted and what was found. */
  readonly detail: string;
}

export interface Comparison {
  readonly table: string;
  readonly wanted: number;
  readonly found: number;
  readonly differences: readonly Difference[];
}

/** Compares table by table, row by row, column by column. Columns that the expectation does not name are not compared. */
export function compare(
  wanted: ReadonlyMap<string, WantedRows>,
  found: ReadonlyMap<string, FoundRows>,
): readonly Comparison[] {
  const partsThere = presentGroups(wanted, found);
  return [...wanted].map(([table, rows]) => {
    const due = new Map([...rows].filter(([, row]) => row.allOrNone === undefined || partsThere.has(row.allOrNone)));
    return compareTable(table, due, found.get(table) ?? new Map<string, readonly FoundRow[]>());
  });
}

/** Every difference of every table. */
export function differencesOf(comparisons: readonly Comparison[]): readonly Difference[] {
  return comparisons.flatMap((comparison) => comparison.differences);
}

/** The all-or-none groups of which at least one row is there. */
function presentGroups(
  wanted: ReadonlyMap<string, WantedRows>,
  found: ReadonlyMap<string, FoundRows>,
): ReadonlySet<string> {
  const present = [...wanted].flatMap(([table, rows]) =>
    [...rows].flatMap(([key, { allOrNone }]) => (allOrNone && found.get(table)?.has(key) ? [allOrNone] : [])),
  );
  return new Set(present);
}

function compareTable(table: string, wanted: WantedRows, found: FoundRows): Comparison {
  const differences: Difference[] = [];
  for (const [key, { cells }] of wanted) {
    const rows = found.get(key) ?? [];
    if (rows.length === 0) differences.push({ table, key, kind: 'missing', detail: `wanted ${describeRow(cells)}` });
    if (rows.length > 1) differences.push({ table, key, kind: 'double', detail: `wanted 1 row, found ${rows.length}` });
    for (const row of rows) differences.push(...differentCells(table, key, cells, row));
  }
  for (const [key, rows] of found) {
    if (wanted.has(key)) continue;
    differences.push({ table, key, kind: 'unexpected', detail: `found ${rows.map(describeRow).join(' and ')}` });
  }
  const count = [...found.values()].reduce((sum, rows) => sum + rows.length, 0);
  return { table, wanted: wanted.size, found: count, differences };
}

function differentCells(table: string, key: string, wanted: WantedRow['cells'], found: FoundRow): Difference[] {
  return Object.entries(wanted).flatMap(([column, want]): Difference[] => {
    const have = found[column] ?? null;
    if (isList(want) ? want.includes(have) : want === have) return [];
    const detail = `${column}: wanted ${describe(want)}, found ${describe(have)}`;
    return [{ table, key, kind: 'different', detail }];
  });
}

function describeRow(cells: WantedRow['cells']): string {
  return Object.entries(cells)
    .map(([column, value]) => `${column}=${describe(value)}`)
    .join(' ');
}

function describe(value: Wanted): string {
  return isList(value) ? value.map((each) => each ?? 'null').join(' or ') : (value ?? 'null');
}

function isList(value: Wanted): value is readonly Cell[] {
  return Array.isArray(value);
}
