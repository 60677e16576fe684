import type { Scheme } from '../provider.ts';
import type { HmacDefinition } from './definition.ts';
import { readEvents } from './read-events.ts';
import { signHmac } from './sign-hmac.ts';
import { headersIn } from './template.ts';
import { verifyHmac } from './verify-hmac.ts';

/** The scheme that a definition describes. `secretProblem` judges the form of its secrets. */
export function hmacScheme(definition: HmacDefinition, secretProblem: Scheme['secretProblem']): Scheme {
  const { event, handshakes = [], proof } = definition;
  const templates = [
    event.id,
    event.type,
    event.object,
    event.time,
    event.apiVersion,
    event.account,
    event.livemode,
    event.testmode,
    ...handshakes.flatMap(({ when, echo, prove }) => [...Object.keys(when), echo, prove]),
    proof?.type,
  ];
  return {
    verify: (request, secrets, options) => verifyHmac(definition, request, secrets, options),
    read: (request, context) => readEvents(definition, request, context),
    readsHeaders: [...new Set(templates.flatMap(headersIn))],
    secretProblem,
    sign: (body, secret, nowMs) => signHmac(definition, body, secret, nowMs),
  };
}
