/** Runs what fills gauges just before they are read. */
export interface Collectors {
  readonly add: (collect: () => void | Promise<void>) => void;
  /** Runs all at once; resolves when each has ended or its time is over. Never rejects. */
  readonly run: () => Promise<void>;
}

/** A scrape usually waits 10 s; a database that hangs must not cost it the metrics that need no database. */
const collectDeadlineMs = 2000;

/** `onFailure` is called once for each collector that throws, rejects or is late. */
export function createCollectors(onFailure: () => void): Collectors {
  const collectors: (() => void | Promise<void>)[] = [];
  return {
    add: (collect) => {
      collectors.push(collect);
    },
    run: async () => {
      await Promise.all(collectors.map((collect) => runOne(collect)));
    },
  };

  async function runOne(collect: () => void | Promise<void>): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error('too late')), collectDeadlineMs);
    try {
      await Promise.race([collect(), late.promise]);
    } catch {
      onFailure();
    } finally {
      clearTimeout(timer);
    }
  }
}
