/** A meeting point: each caller's promise resolves once so many have called. */
export function everyoneHere(count: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let here = 0;
  return () => {
    here += 1;
    if (here === count) all.resolve();
    return all.promise;
  };
}
