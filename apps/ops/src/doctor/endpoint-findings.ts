import type { DescribedEndpoint } from '@mailroom/config';
import { validityOf } from '@mailroom/config';
import { findProvider, type ProviderFacts } from '@mailroom/providers';
import { count } from '../terminal/count.ts';
import { spanOf } from '../terminal/span.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

/** The settings that providers have an opinion about. */
export interface ReceivingLimits {
  readonly ledgerRetentionDays: number;
  readonly answerDeadlineMs: number;
}

/** Compares what an endpoint is configured for with what its provider does. */
export function endpointFindings(
  endpoint: DescribedEndpoint,
  limits: ReceivingLimits,
  nowMs: number,
): readonly Finding[] {
  const subject = `${endpoint.provider}/${endpoint.endpoint}`;
  const facts = findProvider(endpoint.scheme)?.facts;
  const ofFacts = facts === undefined ? [] : factFindings(subject, facts, endpoint, limits);
  return [...ofFacts, ...secretFindings(subject, endpoint, nowMs)];
}

function factFindings(
  subject: string,
  { retryWindowMs, replayWindowMs, answerLimitMs, batch }: ProviderFacts,
  { maxBodyBytes }: DescribedEndpoint,
  { ledgerRetentionDays, answerDeadlineMs }: ReceivingLimits,
): readonly Finding[] {
  const findings: Finding[] = [];
  const redeliveryMs = Math.max(retryWindowMs ?? 0, replayWindowMs ?? 0);
  const kept = `the ledger keeps events for ${ledgerRetentionDays}d`;
  if (retryWindowMs === null && replayWindowMs === null) {
    const advice = 'Ask the sender for how long it sends an event again; the ledger must know it for longer.';
    findings.push(note(subject, `how long it is sent again is not known; ${kept}`, advice));
    // Where it is longer than the ledger remembers, the configuration itself is refused.
  } else if (redeliveryMs < ledgerRetentionDays * dayMs)
    findings.push(fine(subject, `its events can come again for ${spanOf(redeliveryMs / 1000)}; ${kept}`));

  if (answerLimitMs !== null && answerLimitMs <= answerDeadlineMs) {
    const found = `it waits ${answerLimitMs} ms for an answer, and INGEST_ANSWER_DEADLINE_MS is ${answerDeadlineMs}`;
    findings.push(wrong(subject, found, 'It gives up before it is told to come again. Lower the deadline.'));
  }
  const batchBytes = (batch?.limit ?? 0) * (batch?.itemBytes ?? 0);
  if (batchBytes > maxBodyBytes) {
    const found = `a full batch has about ${count(batchBytes)} bytes, and maxBodyBytes is ${count(maxBodyBytes)}`;
    findings.push(
      wrong(subject, found, 'A full batch is answered 413 every time. Raise maxBodyBytes of the endpoint.'),
    );
  }
  return findings;
}

function secretFindings(subject: string, { secrets }: DescribedEndpoint, nowMs: number): readonly Finding[] {
  if (!secrets.some((secret) => validityOf(secret, nowMs) === 'valid')) {
    const advice = 'Every delivery is answered 401. Add the current secret, or mend notBefore and notAfter.';
    return [wrong(subject, 'none of its secrets is valid now', advice)];
  }
  const soonMs = nowMs + 7 * dayMs;
  if (!secrets.some((secret) => validityOf(secret, soonMs) === 'valid')) {
    const advice = 'From then on every delivery is answered 401. Add the next secret and send SIGHUP.';
    return [note(subject, 'all of its secrets end within a week', advice)];
  }
  return secrets
    .filter((secret) => validityOf(secret, nowMs) === 'too_late')
    .map(({ label }) =>
      note(subject, `the time of the secret "${label}" is over`, 'Remove it from the endpoints file.'),
    );
}

const dayMs = 86_400_000;
