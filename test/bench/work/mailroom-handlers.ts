import type { Handler } from '@mailroom/domain';
import { done } from '@mailroom/kernel';
import { benchEventType, benchProvider } from '../bench-event.ts';
import { paidInvoice } from '../business/invoice.ts';
import { writeManyInTx, writeOneInTx } from '../business/three-writes.ts';
import type { MailroomHandlers } from './work-job.ts';

/** The bench's business work as a handler. */
export function mailroomHandler(kind: MailroomHandlers, mayFail: boolean): Handler {
  const ofEach: Handler = {
    provider: benchProvider,
    eventType: benchEventType,
    handle: async ({ tx, payload }) => {
      if (kind !== 'empty') await writeOneInTx(tx, paidInvoice(payload), mayFail);
      return done;
    },
  };
  if (kind === 'own-rows') return { ...ofEach, ownRowsOnly: true };
  if (kind !== 'set') return ofEach;
  return {
    ...ofEach,
    handleMany: async (contexts) => {
      const [first] = contexts;
      if (first) {
        await writeManyInTx(
          first.tx,
          contexts.map(({ payload }) => paidInvoice(payload)),
        );
      }
      return contexts.map(() => done);
    },
  };
}
