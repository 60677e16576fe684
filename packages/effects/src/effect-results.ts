import type { Database, Tx } from '@mailroom/db';
import type { JsonValue } from '@mailroom/kernel';
import { sql } from 'kysely';

/** What is known of an effect that was asked for before. */
export interface KnownEffect {
  readonly requestHash: string;
  /** When the call may have reached the provider first. */
  readonly askedAt: Date;
  readonly generation: number;
  /** How old the current generation's key is. */
  readonly generationAgeMs: number;
  /** null: nobody knows yet whether it happened. */
  readonly result: JsonValue | null;
}

/** Index: primary key of effect_results. */
export async function findEffect(database: Database, key: string): Promise<KnownEffect | null> {
  const { rows } = await database.pool.query<KnownEffect>(
    `select request_hash as "requestHash", asked_at as "askedAt", generation, result,
      extract(epoch from clock_timestamp() - generation_at)::float8 * 1000 as "generationAgeMs"
    from effect_results where effect_key = $1`,
    [key],
  );
  return rows[0] ?? null;
}

export interface AskedEffect {
  readonly key: string;
  readonly provider: string;
  readonly operation: string;
  readonly requestHash: string;
  readonly account: string | null;
  readonly outboxId: string;
}

/** Writes down that the call is about to be made, committed by itself. Answers whether nobody had written so before. */
export async function askForEffect(database: Database, asked: AskedEffect): Promise<boolean> {
  const { rowCount } = await database.pool.query(
    `insert into effect_results (effect_key, provider, operation, request_hash, account, outbox_id)
    values ($1, $2, $3, $4, $5, $6) on conflict (effect_key) do nothing`,
    [asked.key, asked.provider, asked.operation, asked.requestHash, asked.account, asked.outboxId],
  );
  return rowCount === 1;
}

/** Takes back what `askForEffect` of this attempt wrote, where the call certainly did not begin: nothing need be looked up then. */
export async function unaskEffect(database: Database, key: string): Promise<void> {
  await database.pool.query('delete from effect_results where effect_key = $1 and result is null', [key]);
}

/** From now on a new idempotency key is used. Only where it is certain that nothing happened under the old one. */
export async function beginGeneration(database: Database | Tx, key: string, after: number): Promise<void> {
  const kysely = 'kysely' in database ? database.kysely : database;
  await sql`
    update effect_results set generation = generation + 1, generation_at = now()
    where effect_key = ${key} and generation = ${after} and result is null`.execute(kysely);
}

/** The result, in the transaction that completes the outbox row. The first one stays. */
export async function recordEffect(
  tx: Tx,
  asked: AskedEffect,
  { result, knownBy }: { readonly result: JsonValue; readonly knownBy: 'answer' | 'lookup' },
): Promise<void> {
  const { key, provider, operation, requestHash, account, outboxId } = asked;
  await sql`
    insert into effect_results as e
      (effect_key, provider, operation, request_hash, account, outbox_id, result, known_by, recorded_at)
    values (${key}, ${provider}, ${operation}, ${requestHash}, ${account}, ${outboxId}::bigint,
      ${JSON.stringify(result)}::jsonb, ${knownBy}, now())
    on conflict (effect_key) do update
    set result = excluded.result, known_by = excluded.known_by, recorded_at = excluded.recorded_at
    where e.result is null`.execute(tx);
}
