import { withOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import { keyOf } from '../declarative/signed-content.ts';
import type { Provider } from '../provider.ts';
import { chosenSecretProblem } from '../secret-form.ts';
import { genericOptions } from './options.ts';
import { optionsInWords } from './options-in-words.ts';
import { samples } from './samples.ts';

/**
 * Anybody who signs the body with an HMAC, described in the endpoints file alone: an endpoint whose provider is a name of
 * the team's own, `acme`, and whose scheme is this.
 */
export const genericHmac: Provider = {
  name: 'generic-hmac',
  title: 'Any HMAC sender',
  facts: {
    retryWindowMs: null,
    replayWindowMs: null,
    answerLimitMs: null,
    batch: null,
    signature: 'as `options.signature` says',
    signsTime: false,
    eventId: 'as `options.event.id` says; else the hash of the body',
    eventType: 'as `options.event.type` says',
    objectKey: 'as `options.event.object` says',
    providerTime: 'as `options.event.time` says',
    success: 'the sender must take 200 with an empty body for success',
    handshake: 'as `options.handshakes` says',
    secret: 'as `options.secret` says; the text itself where it says nothing',
    options: optionsInWords,
    sources: ['https://www.rfc-editor.org/rfc/rfc2104'],
  },
  configure: withOptions(genericOptions, (definition) =>
    hmacScheme(definition, (value) => {
      const problem = chosenSecretProblem(value, 8);
      if (problem !== null || keyOf(definition, value) !== null) return problem;
      const { encoding = 'text', prefix = '' } = definition.secret ?? {};
      return value.startsWith(prefix) ? `is not ${encoding}` : `does not start with ${prefix}`;
    }),
  ),
  samples,
  example: {
    options: {
      signature: { header: 'x-acme-signature', separator: ',', tag: 'v1=', content: '{timestamp}.{body}' },
      timestamp: { tag: 't=' },
      event: { id: '{id}', type: '{type}', object: '{data.kind}/{data.id}', time: '{created_at}' },
    },
    secrets: ['example-secret-of-acme-1', 'example-secret-of-acme-2'],
  },
};
