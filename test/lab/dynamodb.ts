import { once } from 'node:events';
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';

export interface LocalDynamoDb {
  readonly client: DynamoDBClient;
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
}

export const markers = 'markers';

/** Starts a DynamoDB on loopback, with the tables of the patterns: markers, and bookings for the way that has both there. */
export async function startDynamoDb(): Promise<LocalDynamoDb> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a listening TCP server has no port');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const client = connectDynamoDb(endpoint);
  await createTable(client, markers);
  await createTable(client, 'bookings');
  const stop = async () => {
    client.destroy();
    server.close();
    await once(server, 'close');
  };
  return { client, endpoint, stop };
}

export function connectDynamoDb(endpoint: string): DynamoDBClient {
  // The local server asks for a signature but knows no keys.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return new DynamoDBClient({ endpoint, region: 'local', credentials });
}

/** When the marker of an event expires, in seconds; null where there is none. */
export async function markerOf(client: DynamoDBClient, eventId: string): Promise<number | null> {
  const key = { event_id: { S: eventId } };
  const { Item } = await client.send(new GetItemCommand({ TableName: markers, Key: key, ConsistentRead: true }));
  return Item === undefined ? null : Number(Item['expires_at']?.N);
}

/**
 * Puts a marker where there is none, or only one that expired: the conditional write that libraries for idempotency on DynamoDB make.
 * Times are seconds of whatever clock the caller has. Whether it was put.
 */
export async function putMarker(
  client: DynamoDBClient,
  eventId: string,
  { now, ttl }: { readonly now: number; readonly ttl: number },
): Promise<boolean> {
  try {
    await client.send(
      new PutItemCommand({
        TableName: markers,
        Item: { event_id: { S: eventId }, expires_at: { N: String(now + ttl) } },
        ConditionExpression: 'attribute_not_exists(event_id) OR expires_at < :now',
        ExpressionAttributeValues: { ':now': { N: String(now) } },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'event_id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'event_id', AttributeType: 'S' }],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: 10, minDelay: 1, maxDelay: 1 }, { TableName: name });
}
