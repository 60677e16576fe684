import { hmac } from '../match-hmac.ts';
import type { ProviderAnswer, ReadContext, Reading } from '../provider.ts';
import type { HandshakeDefinition, HmacDefinition } from './definition.ts';
import { keyOf } from './signed-content.ts';
import { fillFirst, type TemplateSource } from './template.ts';

/** The answer to a delivery that is a ping or a challenge, or null where it is none. */
export function answerHandshake(
  definition: HmacDefinition,
  source: TemplateSource,
  context: ReadContext,
): Reading | null {
  const asked = definition.handshakes?.find(({ when }) => matches(when, source));
  if (asked === undefined) return null;
  const answer = answerTo(definition, asked, source, context);
  return answer === null ? null : { outcome: 'handshake', name: asked.name, answer };
}

function matches(when: HandshakeDefinition['when'], source: TemplateSource): boolean {
  return Object.entries(when).every(([template, value]) => fillFirst(template, source) === value);
}

/** Null where what is to be answered with is missing: then it is no handshake, and is kept for a person. */
function answerTo(
  definition: HmacDefinition,
  { echo, prove }: HandshakeDefinition,
  source: TemplateSource,
  { secret }: ReadContext,
): ProviderAnswer | null {
  if (echo !== undefined) {
    const body = fillFirst(echo, source);
    return body === null ? null : { status: 200, body, contentType: 'text/plain; charset=utf-8' };
  }
  if (prove === undefined) return { status: 200 };
  const plainToken = fillFirst(prove, source);
  const key = secret === null ? null : keyOf(definition, secret.value);
  if (plainToken === null || key === null) return null;
  const encryptedToken = hmac(definition.signature.algorithm, key, [plainToken]).toString('hex');
  return { status: 200, body: JSON.stringify({ plainToken, encryptedToken }), contentType: 'application/json' };
}
