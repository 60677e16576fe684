import { CodedError } from '@mailroom/kernel';
import { type ComparisonResult, compareState, type StateSource, stateSourcesOf } from '@mailroom/reconcile';
import type { Problem } from './reconcile-events.ts';
import { placeOf, type Reconciliation } from './reconciliation.ts';

export interface StateReport {
  readonly comparisons: readonly ComparisonResult[];
  readonly notAsked: readonly Problem[];
  readonly failed: readonly Problem[];
}

/** Compares every list of objects with our tables, one after another; one that fails does not keep the others from it. */
export async function reconcileState(run: Reconciliation, since: Date): Promise<StateReport> {
  const comparisons: ComparisonResult[] = [];
  const notAsked: Problem[] = [];
  const failed: Problem[] = [];
  const attempted = async <T>(place: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (run.signal.aborted) return null;
      if (!(error instanceof CodedError) || !error.code.startsWith('provider_')) throw error;
      failed.push({ place, reason: error.message });
      return null;
    }
  };
  for (const access of run.endpoints) {
    const place = placeOf(access.endpoint);
    if (access.kind === 'none') {
      notAsked.push({ place, reason: access.reason });
      continue;
    }
    const sources: readonly StateSource[] = (await attempted(place, () => stateSourcesOf(access))) ?? [];
    for (const source of sources) {
      if (run.signal.aborted) break;
      const at = `${place} ${source.account ?? ''} ${source.objects}`.replace('  ', ' ');
      const result = await attempted(at, () => compareState(source, { ...run, since }));
      if (result !== null) comparisons.push(result);
    }
  }
  return { comparisons, notAsked, failed };
}
