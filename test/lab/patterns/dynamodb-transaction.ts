import { DynamoDBServiceException, GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { Bench } from '../bench.ts';
import { eventId } from '../booked.ts';
import { markers } from '../dynamodb.ts';
import type { NotRun, Pattern } from '../pattern.ts';

export const dynamodbTransaction: Pattern = {
  name: 'dynamodb-transaction',
  title: 'Marker and business write in one DynamoDB transaction',
  why: 'TransactWriteItems writes marker and business item together or not at all, which is the right way for a team whose business data is in DynamoDB. It reaches nothing in PostgreSQL, so where the business data is there the record of the event must be there as well.',
  rightIn: 'packages/inbox/src/process.ts',
  ways: [
    {
      kind: 'right',
      does: 'TransactWriteItems: new marker and booking',
      delivered: 'one event, twice',
      expected: 'written, then refused; 1 booking',
      run: sentTwice,
    },
  ],
};

async function sentTwice(bench: Bench): Promise<string | NotRun> {
  const { client } = await bench.dynamodb();
  const answers = [];
  for (let delivery = 0; delivery < 2; delivery += 1) {
    try {
      await client.send(new TransactWriteItemsCommand({ TransactItems: [put(markers), put('bookings')] }));
      answers.push('written');
    } catch (error) {
      if (!(error instanceof DynamoDBServiceException)) throw error;
      if (error.name === 'UnknownOperationException') {
        return { notRunBecause: 'the local DynamoDB (dynalite) does not know TransactWriteItems' };
      }
      answers.push(error.name === 'TransactionCanceledException' ? 'refused' : error.name);
    }
  }
  const booking = await client.send(new GetItemCommand({ TableName: 'bookings', Key: { event_id: { S: eventId } } }));
  return `${answers.join(', then ')}; ${booking.Item === undefined ? 0 : 1} booking`;
}

function put(table: string) {
  const condition = table === markers ? { ConditionExpression: 'attribute_not_exists(event_id)' } : {};
  return { Put: { TableName: table, Item: { event_id: { S: eventId } }, ...condition } };
}
