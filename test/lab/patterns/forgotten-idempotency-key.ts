import type { Bench } from '../bench.ts';
import { type ForgetfulProvider, forgetfulProvider } from '../forgetful-provider.ts';
import type { Pattern } from '../pattern.ts';

const key = 'refund:evt_1';

export const forgottenIdempotencyKey: Pattern = {
  name: 'forgotten-idempotency-key',
  title: 'An idempotency key that the provider has forgotten',
  why: 'Providers keep idempotency keys for a day or so, and the same key sent after that is a new request that pays a second time. What was asked and answered is recorded under the key on our side and looked up first; where the answer never came, the object is looked for by the key that it carries before anything is asked again.',
  rightIn: 'packages/effects/src/stripe-call-sink.ts',
  ways: [
    {
      kind: 'right',
      does: 'send it again while the key is remembered',
      delivered: 'one refund, asked twice, 1 h apart',
      expected: '1 refund',
      run: async () => {
        const provider = forgetfulProvider();
        provider.refund(key);
        provider.passHours(1);
        provider.refund(key);
        return refundsOf(provider);
      },
    },
    {
      kind: 'wrong',
      does: 'send it again whenever',
      delivered: 'one refund, asked twice, 25 h apart',
      expected: '2 refunds',
      run: async () => {
        const provider = forgetfulProvider();
        provider.refund(key);
        provider.passHours(25);
        provider.refund(key);
        return refundsOf(provider);
      },
    },
    {
      kind: 'right',
      does: 'look for the recorded answer first',
      delivered: 'one refund, asked twice, 25 h apart',
      expected: '1 refund, answered',
      run: (bench) => askAfter25Hours(bench, 'answer arrives'),
    },
    {
      kind: 'right',
      does: 'asked but not answered: look for the refund',
      delivered: 'the same, the first answer is lost',
      expected: '1 refund, found',
      run: (bench) => askAfter25Hours(bench, 'answer is lost'),
    },
  ],
};

type Wire = 'answer arrives' | 'answer is lost';

async function askAfter25Hours(bench: Bench, wire: Wire): Promise<string> {
  await bench.database.pool.query('create table asked (key text primary key, refund_id text)');
  const provider = forgetfulProvider();
  await refundOnRecord(bench, provider, wire);
  provider.passHours(25);
  const second = await refundOnRecord(bench, provider, 'answer arrives');
  return `${refundsOf(provider)}, ${second}`;
}

async function refundOnRecord(
  { database: { pool } }: Bench,
  provider: ForgetfulProvider,
  wire: Wire,
): Promise<'answered' | 'found'> {
  const first = await pool.query('insert into asked values ($1) on conflict do nothing', [key]);
  const { rows } = await pool.query<{ refund_id: string | null }>('select * from asked');
  if (rows[0]?.refund_id) return 'answered';
  const found = first.rowCount === 1 ? undefined : provider.find(key);
  const refundId = found ?? provider.refund(key);
  if (wire === 'answer arrives') await pool.query('update asked set refund_id = $1', [refundId]);
  return found === undefined ? 'answered' : 'found';
}

function refundsOf(provider: ForgetfulProvider): string {
  return provider.refunds() === 1 ? '1 refund' : `${provider.refunds()} refunds`;
}
