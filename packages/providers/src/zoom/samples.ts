import type { Sample } from '../provider.ts';

/** A meeting from its start to its end. Written for Mailroom from the documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  'meeting.started': sample('meeting.started', 0),
  'meeting.ended': sample('meeting.ended', 1_800_000),
};

function sample(event: string, laterMs: number): Sample {
  return {
    eventType: event,
    body: ({ tag, nowMs }) => ({
      event,
      event_ts: nowMs + laterMs,
      payload: {
        account_id: 'sample-account',
        object: {
          id: tag,
          uuid: `${tag}==`,
          topic: 'A sample meeting',
          start_time: new Date(nowMs).toISOString(),
        },
      },
    }),
  };
}
