import type { Bench } from '../bench.ts';
import { type ForgetfulProvider, forgetfulProvider, keyLifeHours } from '../forgetful-provider.ts';
import type { Pattern } from '../pattern.ts';

const key = 'refund:evt_1';

export const forgottenIdempotencyKey: Pattern = {
  name: 'forgotten-idempotency-key',
  title: 'An idempotency key that the provider has forgotten',
  why: 'Providers keep idempotency keys for a day or so, and the same key sent after that is a new request that pays a second time. What was asked and answered is recorded under the key on our side and looked up first; a question whose answer never came is for a person once the key may be forgotten.',
  rightIn: 'migrations/0001_inbox.sql',
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
      does: 'asked but not answered: stop for a person',
      delivered: 'the same, the first answer is lost',
      expected: '1 refund, needs review',
      run: (bench) => askAfter25Hours(bench, 'answer is lost'),
    },
  ],
};

type Wire = 'answer arrives' | 'answer is lost';

async function askAfter25Hours(bench: Bench, wire: Wire): Promise<string> {
  await bench.database.pool.query(
    'create table asked (key text primary key, at_hours integer not null, refund_id text)',
  );
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
): Promise<'answered' | 'needs review'> {
  await pool.query('insert into asked values ($1, $2) on conflict do nothing', [key, provider.nowHours()]);
  const { rows } = await pool.query<{ at_hours: number; refund_id: string | null }>('select * from asked');
  const [asked] = rows;
  if (asked === undefined) throw new Error('what was asked is on record');
  if (asked.refund_id !== null) return 'answered';
  if (provider.nowHours() - asked.at_hours >= keyLifeHours) return 'needs review';
  const refundId = provider.refund(key);
  if (wire === 'answer arrives') await pool.query('update asked set refund_id = $1', [refundId]);
  return 'answered';
}

function refundsOf(provider: ForgetfulProvider): string {
  return provider.refunds() === 1 ? '1 refund' : `${provider.refunds()} refunds`;
}
