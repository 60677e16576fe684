import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Books } from './books.ts';
import type { ChaosReport, LateEvent } from './chaos-report.ts';
import { check } from './checker/check.ts';
import { checkLeftOver } from './checker/check-left-over.ts';
import { checkMessages, type ReceivedMessage } from './checker/check-messages.ts';
import type { Difference } from './checker/difference.ts';
import { historyOf } from './checker/history.ts';

const sessionsDeadlineMs = 20_000;
const maxHistories = 5;

/** What the database says after the fleet has stopped. */
type Examined = Pick<
  ChaosReport,
  'states' | 'failures' | 'messages' | 'differences' | 'lost' | 'doubled' | 'histories'
>;

/** Waits for the last sessions to end, then checks everything. */
export async function examine(client: Client, books: Books, received: readonly ReceivedMessage[]): Promise<Examined> {
  const endMs = performance.now() + sessionsDeadlineMs;
  let leftOver = await checkLeftOver(client);
  while (leftOver.length > 0 && performance.now() < endMs) {
    await pause(200);
    leftOver = await checkLeftOver(client);
  }
  const messages = await checkMessages(client, received);
  const differences = [...(await check(client, books.events.values())), ...messages.differences, ...leftOver];
  const histories: Record<string, readonly string[]> = {};
  for (const { key } of differences) {
    if (Object.keys(histories).length < maxHistories) histories[key] ??= await historyOf(client, key);
  }
  const late = (kind: Difference['kind']): readonly LateEvent[] =>
    [...new Set(differences.filter((each) => each.kind === kind).map(({ key }) => key))].map((key) =>
      underWay(books, key),
    );
  return {
    states: await counts(client, 'select state as name, count(*)::int from webhook_inbox group by 1'),
    failures: await counts(client, 'select class as name, count(*)::int from inbox_failures group by 1'),
    messages: messages.counts,
    differences,
    lost: late('lost'),
    doubled: late('doubled'),
    histories,
  };
}

/** An invoice is under way from the first to the last of its events. */
function underWay(books: Books, key: string): LateEvent {
  const about = [...books.events.values()].filter(({ id, invoice }) => id === key || invoice?.id === key);
  const from = Math.min(...about.map(({ firstPostAtMs }) => firstPostAtMs));
  const to = Math.max(
    ...about.map(({ firstAcknowledgedAtMs, firstPostAtMs }) => firstAcknowledgedAtMs ?? firstPostAtMs),
  );
  return { key, fromMs: from, toMs: to };
}

async function counts(client: Client, sql: string): Promise<Record<string, number>> {
  const { rows } = await client.query<{ name: string; count: number }>(sql);
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
