import type { JsonValue } from '@mailroom/kernel';
import type { Sample } from '../provider.ts';

/** Somebody mentions an app, and a channel is made. Written for Mailroom from the documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  app_mention: sample('app_mention', ({ tag, ts }) => ({
    user: 'U0000SAMPLE',
    text: '<@U0000APP> hello',
    ts,
    channel: `C${tag}`,
  })),
  channel_created: sample('channel_created', ({ tag }) => ({ channel: { id: `C${tag}`, name: 'samples' } })),
};

function sample(type: string, about: (values: { tag: string; ts: string }) => Fields): Sample {
  return {
    eventType: type,
    body: ({ tag, nowMs }) => ({
      token: 'not-checked',
      team_id: 'T0000SAMPLE',
      api_app_id: 'A0000SAMPLE',
      event: { type, event_ts: (nowMs / 1000).toFixed(6), ...about({ tag, ts: (nowMs / 1000).toFixed(6) }) },
      type: 'event_callback',
      event_id: `Ev${tag}${type}`,
      event_time: Math.floor(nowMs / 1000),
    }),
  };
}

type Fields = Readonly<Record<string, JsonValue>>;
