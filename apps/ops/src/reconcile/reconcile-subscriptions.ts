import { CodedError } from '@mailroom/kernel';
import { checkRegistrations, type RegistrationResult } from '@mailroom/reconcile';
import type { Problem } from './reconcile-events.ts';
import { placeOf, type Reconciliation } from './reconciliation.ts';

export interface SubscriptionsReport {
  readonly checked: readonly RegistrationResult[];
  readonly notAsked: readonly Problem[];
  readonly failed: readonly Problem[];
}

/** Looks whether each endpoint is still registered at its provider. */
export async function reconcileSubscriptions(run: Reconciliation): Promise<SubscriptionsReport> {
  const { publicUrl } = run.config;
  if (publicUrl === null) {
    throw new CodedError('usage', 'set MAILROOM_PUBLIC_URL: without it nobody knows which registrations point here.');
  }
  const checked: RegistrationResult[] = [];
  const notAsked: Problem[] = [];
  const failed: Problem[] = [];
  for (const access of run.endpoints) {
    const place = placeOf(access.endpoint);
    if (access.kind === 'none') {
      notAsked.push({ place, reason: access.reason });
      continue;
    }
    try {
      checked.push(await checkRegistrations(access, { ...run, publicUrl }));
    } catch (error) {
      if (!(error instanceof CodedError) || !error.code.startsWith('provider_')) throw error;
      failed.push({ place, reason: error.message });
    }
  }
  return { checked, notAsked, failed };
}
