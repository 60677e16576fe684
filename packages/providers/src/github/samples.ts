import { createHash } from 'node:crypto';
import type { JsonValue } from '@mailroom/kernel';
import type { Sample, SampleValues } from '../provider.ts';

/** A pull request that is merged, and the push that follows. Written for Mailroom from GitHub's documentation. */
export const samples: Readonly<Record<string, Sample>> = {
  'pull_request.opened': sample('pull_request', 'opened', () => ({
    number: 7,
    pull_request: { number: 7, merged: false },
  })),
  'pull_request.closed': sample('pull_request', 'closed', () => ({
    number: 7,
    pull_request: { number: 7, merged: true },
  })),
  push: sample('push', null, ({ tag }) => ({
    ref: 'refs/heads/main',
    before: hexOf(`before/${tag}`),
    after: hexOf(`after/${tag}`),
    commits: [],
  })),
};

function sample(event: string, action: string | null, about: (values: SampleValues) => Fields): Sample {
  return {
    eventType: action === null ? event : `${event}.${action}`,
    body: (values) => ({
      ...(action === null ? {} : { action }),
      ...about(values),
      repository: {
        id: Number.parseInt(hexOf(values.tag).slice(0, 8), 16),
        full_name: `example/${values.tag}`,
        owner: { login: 'example' },
      },
      sender: { login: 'example', id: 1 },
    }),
    headers: ({ tag }) => ({ 'x-github-event': event, 'x-github-delivery': `${tag}-${event}-${action ?? 'push'}` }),
  };
}

function hexOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

type Fields = Readonly<Record<string, JsonValue>>;
