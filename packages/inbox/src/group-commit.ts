import { CodedError } from '@mailroom/kernel';

export interface GroupCommitOptions<Item, Result> {
  /** Writes a group in one commit and answers one result an item, in order. */
  readonly writeGroup: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** Writes one item by itself, after its group failed. */
  readonly writeAlone: (item: Item) => Promise<Result>;
  readonly rowsOf: (item: Item) => number;
  readonly bytesOf: (item: Item) => number;
  readonly writesInFlight: number;
  readonly maxRowsPerWrite: number;
  readonly maxBytesPerWrite: number;
  /** Past either bound `submit` rejects with `inbox_overloaded`. Counts what waits and what is being written. */
  readonly maxHeldRows: number;
  readonly maxHeldBytes: number;
}

export interface GroupCommit<Item, Result> {
  /** Resolves after the item's commit. */
  submit(item: Item): Promise<Result>;
  /** Refuses new items with `inbox_closed`; resolves when everything submitted has its answer. */
  close(): Promise<void>;
}

/**
 * Lets concurrent items share a commit without a timer: with nothing in flight an item is written at once; while writes are
 * in flight the next ones gather. Measured: a 2 ms timer instead of this cost 40 % of the throughput.
 * A group that fails is done again one by one, so an item never fails for its neighbour.
 */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  interface Waiting {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  let inFlight = 0;
  let heldRows = 0;
  let heldBytes = 0;
  let closing: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  return { submit, close };

  function submit(item: Item): Promise<Result> {
    if (closing) return Promise.reject(new CodedError('inbox_closed', 'the inbox is shutting down'));
    const rows = options.rowsOf(item);
    const bytes = options.bytesOf(item);
    const fits = heldRows + rows <= options.maxHeldRows && heldBytes + bytes <= options.maxHeldBytes;
    // Something larger than the whole bound is still taken when nothing else is held: refusing it for ever would lose it.
    if (!fits && heldRows > 0) {
      return Promise.reject(new CodedError('inbox_overloaded', 'too many deliveries are waiting to be written'));
    }
    heldRows += rows;
    heldBytes += bytes;
    const answer = new Promise<Result>((resolve, reject) => {
      waiting.push({ item, resolve, reject });
    });
    startWrites();
    return answer.finally(() => {
      heldRows -= rows;
      heldBytes -= bytes;
    });
  }

  function close(): Promise<void> {
    closing ??= Promise.withResolvers<void>();
    finishClosing();
    return closing.promise;
  }

  function startWrites(): void {
    while (waiting.length > 0 && inFlight < options.writesInFlight) {
      // What waits is shared fairly between the writes that may start now.
      const share = Math.ceil(waiting.length / (options.writesInFlight - inFlight));
      const group = takeGroup(share);
      inFlight += 1;
      void write(group).finally(() => {
        inFlight -= 1;
        startWrites();
        finishClosing();
      });
    }
  }

  function takeGroup(share: number): readonly Waiting[] {
    let count = 0;
    let rows = 0;
    let bytes = 0;
    for (const { item } of waiting.slice(0, share)) {
      rows += options.rowsOf(item);
      bytes += options.bytesOf(item);
      if (count > 0 && (rows > options.maxRowsPerWrite || bytes > options.maxBytesPerWrite)) break;
      count += 1;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    return group;
  }

  async function write(group: readonly Waiting[]): Promise<void> {
    try {
      const results = await options.writeGroup(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch {
      await Promise.all(group.map(({ item, resolve, reject }) => options.writeAlone(item).then(resolve, reject)));
    }
  }

  function finishClosing(): void {
    if (closing && inFlight === 0 && waiting.length === 0) closing.resolve();
  }
}
