import { parseArgs } from 'node:util';
import { databaseUrlOf } from './database-url.ts';
import { sendSamples } from './send-samples.ts';
import { storm } from './storm.ts';
import { invoiceEventTypes } from './stripe-events.ts';
import { targetOf, UsageError } from './target.ts';

const help = `Sends signed webhooks to a running Mailroom.

  npm run send -- stripe TYPE [--count N]   post N samples (default 1), each a new event about a new invoice
  npm run send -- storm                     post hundreds of deliveries of every kind, then compare the database

TYPE   ${invoiceEventTypes.join(', ')}; any other type is sent as one that no handler knows

  --url URL         where to post; default http://127.0.0.1:PORT/webhooks/stripe/ENDPOINT
  --endpoint NAME   default billing
  --help            this text

Environment: PORT (8080); STRIPE_WEBHOOK_SECRET, else the one that npm start keeps under MAILROOM_HOME (.mailroom);
for the storm DATABASE_URL, else the local database under MAILROOM_HOME.

Exit codes: 0 all is well; 1 an answer or the database is not as it must be; 2 a mistake in the call.`;

// `| head` closes the pipe early; the exit code still tells how it went.
process.stdout.on('error', () => undefined);
process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    return (await dispatch(args)) ? 0 : 1;
  } catch (error) {
    const text = error instanceof Error ? error.message || error.name : String(error);
    process.stderr.write(`${text}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Does what was asked; whether everything was as it must be. */
async function dispatch(args: readonly string[]): Promise<boolean> {
  const { values, positionals } = readArguments(args);
  const [what, type, ...rest] = positionals;
  if (values.help || what === undefined) {
    print(help);
    return values.help === true;
  }
  const target = () => targetOf(process.env, values);
  if (what === 'storm' && type === undefined) return await storm(target(), databaseUrlOf(process.env), print);
  if (what === 'stripe' && type !== undefined && rest.length === 0) {
    return await sendSamples(target(), type, countOf(values.count), print);
  }
  throw new UsageError(`"${positionals.join(' ')}" is not something to send. npm run send -- --help shows what is.`);
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        url: { type: 'string' },
        endpoint: { type: 'string', default: 'billing' },
        count: { type: 'string', default: '1' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 100_000) return count;
  throw new UsageError(`--count "${text}" is not a number from 1 to 100000.`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
