import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** Where the traffic goes and with what it is signed. */
export interface Target {
  readonly url: string;
  readonly endpoint: string;
  readonly secret: string;
}

/** A mistake of the person at the keyboard: shown as it is, without a stack. */
export class UsageError extends Error {}

/** `MAILROOM_HOME`, or where `npm start` puts it. */
export function homeFolder(env: NodeJS.ProcessEnv): string {
  return resolve(env['MAILROOM_HOME'] || '.mailroom');
}

/** The endpoint's URL: `--url` whole, or `http://127.0.0.1:<PORT>/webhooks/stripe/<endpoint>`. */
export function targetOf(env: NodeJS.ProcessEnv, given: { url?: string | undefined; endpoint: string }): Target {
  const base = `http://127.0.0.1:${env['PORT'] || '8080'}`;
  const url = given.url ?? `${base}/webhooks/stripe/${given.endpoint}`;
  if (!URL.canParse(url)) throw new UsageError(`--url "${url}" is not a URL.`);
  return { url, endpoint: given.endpoint, secret: stripeSecret(env) };
}

function stripeSecret(env: NodeJS.ProcessEnv): string {
  const given = env['STRIPE_WEBHOOK_SECRET'];
  if (given) return given;
  const file = resolve(homeFolder(env), 'stripe-webhook-secret');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new UsageError(
      `No signing secret: STRIPE_WEBHOOK_SECRET is unset and ${file} cannot be read.\n` +
        'Start Mailroom first (npm start), in this folder or with the same MAILROOM_HOME.',
    );
  }
}
