import type { Logger } from '@mailroom/kernel';
import type { Metrics } from '@mailroom/observability';
import type { ReceiveOutcome } from './answer.ts';
import type { OpenEndpoint } from './endpoint-table.ts';
import type { SignatureClinic } from './signature-clinic.ts';

export type OutcomeRecorder = (
  outcome: ReceiveOutcome,
  endpoint: OpenEndpoint | undefined,
  startedAtMs: number,
) => void;

/**
 * Tells the metrics and the log how each POST ended. What is ordinary, or what any stranger can cause without limit and
 * nobody can act on, is logged at debug only; the metrics count everything.
 */
export function createOutcomeRecorder(
  metrics: Metrics,
  log: Logger,
  clinic: Pick<SignatureClinic, 'admit'>,
): OutcomeRecorder {
  return (outcome, endpoint, startedAtMs) => {
    const where = { provider: endpoint?.provider ?? 'unknown', endpoint: endpoint?.endpoint ?? 'unknown' };
    const durationMs = performance.now() - startedAtMs;
    metrics.deliveries.add({ ...where, outcome: outcome.outcome });
    metrics.ackDuration.observe({ ...where, outcome: outcome.outcome }, durationMs / 1000);
    const fields = { ...where, outcome: outcome.outcome, duration_ms: Math.round(durationMs) };

    switch (outcome.outcome) {
      case 'stored': {
        const { stored, duplicates, quarantined } = outcome;
        metrics.received.add(where, stored);
        metrics.duplicate.add(where, duplicates);
        metrics.quarantined.add(where, quarantined);
        if (quarantined > 0) log.warn('delivery_quarantined', { ...fields, stored, duplicates, quarantined });
        else log.debug('delivery_stored', { ...fields, stored, duplicates });
        return;
      }
      case 'rejected': {
        metrics.rejected.add({ ...where, reason: outcome.reason });
        const isAdmitted = endpoint !== undefined && clinic.admit(endpoint, outcome, outcome.request);
        const why = { ...fields, reason: outcome.reason, detail: outcome.detail };
        // A flood of forged requests must not become a flood of lines.
        if (isAdmitted) log.warn('delivery_rejected', why);
        else log.debug('delivery_rejected', why);
        return;
      }
      case 'handshake':
        log.info('delivery_answered', { ...fields, handshake: outcome.name });
        return;
      case 'unknown_endpoint':
        log.debug('delivery_refused', fields);
        return;
      case 'too_large':
      case 'too_slow':
      case 'aborted':
      case 'shutting_down':
        log.info('delivery_refused', fields);
        return;
      case 'unverifiable':
        log.warn('delivery_failed', { ...fields, detail: outcome.detail });
        return;
      case 'overloaded':
      case 'deadline_passed':
        log.warn('delivery_failed', fields);
        return;
      case 'database_failed':
        log.error('delivery_failed', { ...fields, class: outcome.errorClass, error: outcome.error });
        return;
      case 'fault':
        log.error('delivery_failed', { ...fields, error: outcome.error });
        return;
    }
  };
}
