import type pg from 'pg';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs a statement and answers how many pages it looked at. A page looked at twice counts twice. */
export async function touchedPages(client: pg.PoolClient, text: string, values: unknown[]): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, buffers, timing off, format json) ${text}`,
    values,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (!plan) throw new Error('EXPLAIN answered nothing');
  return own(plan);
}

/**
 * A node's figure holds those of its children, but for the writing parts of a WITH, which run after what stands above them has ended.
 * So what each node has beyond its children is summed up; what reads a part of a WITH has the pages of that part, which count there.
 */
function own(node: PlanNode): number {
  const children = node.Plans ?? [];
  const beyond = pagesOf(node) - children.reduce((sum, child) => sum + pagesOf(child), 0);
  const ofNode = node['Node Type'] === 'CTE Scan' ? 0 : Math.max(0, beyond);
  return ofNode + children.reduce((sum, child) => sum + own(child), 0);
}

function pagesOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}
