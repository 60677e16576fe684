import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Endpoint, loadConfig } from '@mailroom/config';
import { CodedError } from '@mailroom/kernel';
import { findProvider, providers, schemeOf } from '@mailroom/providers';

const help = `Posts one signed sample of a provider to a running Mailroom, with the endpoint's own secret and options.

  npm run sample -- PROVIDER TYPE [--endpoint NAME] [--url URL] [--tag TAG]

  --endpoint NAME   which of the provider's endpoints; default: its first one in the endpoints file
  --url URL         where Mailroom is; default http://127.0.0.1:PORT
  --tag TAG         letters and digits that make the sample an event of its own; the same again is a redelivery

${providers.map(({ name, samples }) => `  ${name.padEnd(18)} ${Object.keys(samples).join(', ')}`).join('\n')}

Exit codes: 0 answered 200; 1 answered otherwise or not at all; 2 a mistake in the call or in the configuration.`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    return await send(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof CodedError ? 2 : 1;
  }
}

async function send(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  const [provider, type] = positionals;
  if (values.help || provider === undefined || type === undefined) {
    process.stdout.write(`${help}\n`);
    return values.help ? 0 : 2;
  }
  const config = loadConfig('local', { env: process.env, cwd: process.cwd(), providers });
  const endpoint = endpointOf(config.endpoints, provider, values.endpoint);
  const delivery = sampleOf(endpoint, type, values.tag ?? randomBytes(6).toString('hex'));
  const base = values.url ?? `http://127.0.0.1:${config.port}`;
  const answer = await fetch(`${base}/webhooks/${provider}/${endpoint.endpoint}`, {
    method: 'POST',
    headers: delivery.headers,
    body: new Uint8Array(delivery.body),
  });
  process.stdout.write(`${answer.status}  ${provider}/${endpoint.endpoint}  ${type}  ${await answer.text()}\n`);
  return answer.status === 200 ? 0 : 1;
}

function endpointOf(endpoints: readonly Endpoint[], provider: string, name: string | undefined): Endpoint {
  const found = endpoints.find((each) => each.provider === provider && (name ?? each.endpoint) === each.endpoint);
  if (found !== undefined) return found;
  const configured = endpoints.map((each) => `${each.provider}/${each.endpoint}`).join(', ');
  throw usage(
    `The endpoints file has no endpoint ${provider}${name === undefined ? '' : `/${name}`}, but ${configured}.`,
  );
}

/** The sample as the provider would send it to this endpoint now. */
function sampleOf({ scheme: name, options, secrets }: Endpoint, type: string, tag: string) {
  const samples = findProvider(name)?.samples ?? {};
  const sample = Object.hasOwn(samples, type) ? samples[type] : undefined;
  if (sample === undefined) throw usage(`There is no sample "${type}", but ${Object.keys(samples).join(', ')}.`);
  const values = { tag, nowMs: Date.now() };
  const body = Buffer.from(JSON.stringify(sample.body(values)));
  const signed = schemeOf(name, options).sign(body, secrets[0]?.value ?? '', values.nowMs);
  if (signed === null) throw usage(`Only ${name} itself can sign its webhooks.`);
  return { body: signed.body, headers: { ...sample.headers?.(values), ...signed.headers } };
}

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        endpoint: { type: 'string' },
        url: { type: 'string' },
        tag: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

function usage(message: string): CodedError {
  return new CodedError('usage', `${message} npm run sample -- --help shows what can be sent.`);
}
