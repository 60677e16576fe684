import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createNaiveTables } from '../orders/naive-tables.ts';
import { type ScratchDatabase, scratchDatabase } from '../support/scratch-database.ts';
import { type LocalDynamoDb, startDynamoDb } from './dynamodb.ts';

/** A server with a migrated template. */
export type LabServer = Parameters<typeof scratchDatabase>[0];

/** What one way has to itself: a migrated database with the naive receiver's tables, and a DynamoDB where it asks for one. */
export interface Bench extends Omit<ScratchDatabase, 'drop'> {
  /** With an empty table of markers. */
  readonly dynamodb: () => Promise<{ readonly client: DynamoDBClient; readonly endpoint: string }>;
}

/** Lends a bench and clears it away, however the work ends. */
export async function onBench<T>(server: LabServer, work: (bench: Bench) => Promise<T>): Promise<T> {
  const { drop, ...scratch } = await scratchDatabase(server, server.template);
  let dynamodb: Promise<LocalDynamoDb> | undefined;
  try {
    await createNaiveTables(scratch.database);
    return await work({
      ...scratch,
      dynamodb: () => {
        dynamodb ??= startDynamoDb();
        return dynamodb;
      },
    });
  } finally {
    await drop();
    await (await dynamodb)?.stop();
  }
}
