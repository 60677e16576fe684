/** What has been started and must be stopped. */
export interface Teardown {
  /** Notes how to undo what was just done. */
  add(undo: () => void | Promise<void>): void;
  /** Undoes everything, newest first, each after the one before it; a failure stops nothing. Throws the first one at the end. */
  run(): Promise<void>;
}

export function createTeardown(): Teardown {
  const undos: (() => void | Promise<void>)[] = [];
  return {
    add: (undo) => void undos.push(undo),
    async run() {
      const failures: unknown[] = [];
      for (let undo = undos.pop(); undo; undo = undos.pop()) {
        try {
          await undo();
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}
