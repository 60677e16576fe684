import { Logger } from 'graphile-worker';

export const graphileTask = 'invoice_paid';

/** Says nothing: its default prints a line a job, which nobody else does here. */
export const graphileLogger = new Logger(() => () => undefined);
