import { type Database, inTransaction } from '@mailroom/db';
import { type Logger, messageOf } from '@mailroom/kernel';
import { releaseNext } from './sql/release.ts';
import { heldAggregates, rearmTopics, unroutedTopics } from './sql/sweep.ts';

/**
 * Makes the look that no claim does: unrouted messages whose topic a sink takes now become pending, and so do held ones with nothing
 * before them. The latter come about where two messages of one aggregate finish in the same instant, of which neither sees the other.
 * A thousand aggregates a look, those after the last ones first.
 */
export function createSweep(
  database: Database,
  options: {
    readonly takes: (topic: string) => boolean;
    /** How many held messages of an aggregate are let go at once. */
    readonly run: number;
    readonly log: Logger;
    readonly onFound: () => void;
  },
): () => Promise<void> {
  let after = '';
  return async () => {
    try {
      const topics = (await unroutedTopics(database, atOnce)).filter(options.takes);
      const rearmed = topics.length === 0 ? 0 : await rearmTopics(database, topics, atOnce);
      if (rearmed > 0) options.log.info('unrouted_rearmed', { rows: rearmed });
      if (rearmed + (await releaseForgotten()) > 0) options.onFound();
    } catch (error) {
      options.log.warn('outbox_sweep_failed', { error: messageOf(error) });
    }
  };

  async function releaseForgotten(): Promise<number> {
    return await inTransaction(database, async (tx) => {
      const aggregates = await heldAggregates(tx, after, atOnce);
      after = aggregates.length < atOnce ? '' : (aggregates.at(-1) ?? '');
      return aggregates.length === 0 ? 0 : await releaseNext(tx, aggregates, options.run);
    });
  }
}

const atOnce = 1_000;
