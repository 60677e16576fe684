import { withoutOptions } from '../configure.ts';
import { hmacScheme } from '../declarative/hmac-scheme.ts';
import type { Provider } from '../provider.ts';
import { secretFormProblem } from '../secret-form.ts';
import { samples } from './samples.ts';

/** Slack's Events API. Slash commands and buttons are forms that want an answer of their own; they are no events. */
export const slack: Provider = {
  name: 'slack',
  title: 'Slack',
  facts: {
    // Three retries: at once, after 1 and after 5 minutes.
    retryWindowMs: 360_000,
    replayWindowMs: null,
    answerLimitMs: 3000,
    batch: null,
    signature:
      '`X-Slack-Signature: v0=`, HMAC-SHA256 of `v0:timestamp:body`, hex; the time in `X-Slack-Request-Timestamp`',
    signsTime: true,
    eventId: '`event_id`',
    eventType: '`event.type`, with `event.subtype` where there is one',
    objectKey: '`team_id` and the channel, file or user of the event',
    providerTime: '`event_time`',
    success: 'any 2xx',
    handshake: '`url_verification`, answered with its `challenge`',
    secret: 'the signing secret of the app, as text',
    sources: [
      'https://docs.slack.dev/authentication/verifying-requests-from-slack',
      'https://docs.slack.dev/apis/events-api',
    ],
  },
  configure: withoutOptions(
    hmacScheme(
      {
        signature: {
          header: 'x-slack-signature',
          tag: 'v0=',
          algorithm: 'sha256',
          encoding: 'hex',
          content: 'v0:{timestamp}:{body}',
        },
        timestamp: { header: 'x-slack-request-timestamp', unit: 's' },
        event: {
          id: '{event_id}',
          // `app_rate_limited` has no inner event.
          type: ['{event.type}.{event.subtype}', '{event.type}', '{type}'],
          object: [
            '{team_id}/{event.channel}',
            '{team_id}/{event.channel.id}',
            '{team_id}/{event.item.channel}',
            '{team_id}/{event.file_id}',
            '{team_id}/{event.user}',
            '{team_id}/{event.user.id}',
            '{team_id}',
          ],
          time: ['{event_time}', '{minute_rate_limited}'],
          account: '{team_id}',
        },
        handshakes: [{ name: 'url_verification', when: { '{type}': 'url_verification' }, echo: '{challenge}' }],
      },
      (value) => secretFormProblem(value, { prefix: '', minLength: 16 }),
    ),
  ),
  samples,
  example: { options: {}, secrets: ['00example00signing00secret000001', '00example00signing00secret000002'] },
};
