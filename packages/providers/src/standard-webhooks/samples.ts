import type { Sample } from '../provider.ts';

/** A contact that is made and changed, in the body that the specification recommends. */
export const samples: Readonly<Record<string, Sample>> = {
  'contact.created': contact('contact.created', 'Ada'),
  'contact.updated': contact('contact.updated', 'Ada L.'),
};

function contact(type: string, name: string): Sample {
  return {
    eventType: type,
    body: ({ tag, nowMs }) => ({
      type,
      timestamp: new Date(nowMs).toISOString(),
      data: { id: `contact_${tag}`, name },
    }),
  };
}
