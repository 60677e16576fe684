import type { ClientBase } from 'pg';

/** Everything the database knows of an event or an invoice, one line a row, for whoever looks for the cause of a difference. */
export async function historyOf(client: ClientBase, key: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [table, sql] of tables) {
    const { rows } = await client.query<{ row: unknown }>(`select to_jsonb(r) as row from (${sql}) as r limit 50`, [
      key,
    ]);
    for (const { row } of rows) lines.push(`${table} ${JSON.stringify(row)}`);
  }
  return lines;
}

const eventsOf = `(select event_id from webhook_inbox where event_id = $1 or object_key = 'invoice/' || $1)`;

const tables: readonly (readonly [table: string, sql: string])[] = [
  ['webhook_inbox', `select * from webhook_inbox where event_id in ${eventsOf}`],
  [
    'inbox_failures',
    `select event_id, attempt, worker, started_at, failed_at, class, sqlstate, message from inbox_failures
     where event_id in ${eventsOf} order by failure_id`,
  ],
  ['chaos_effects', `select * from chaos_effects where event_id in ${eventsOf}`],
  ['invoices', 'select * from invoices where invoice_id = $1'],
  ['ledger_entries', `select * from ledger_entries where invoice_id = $1 or event_id = $1`],
  ['outbox', `select * from outbox where aggregate in ($1, 'stripe:invoice:' || $1) or event_id = $1`],
  ['anomalies', `select * from anomalies where object_key = 'stripe:invoice:' || $1`],
];
