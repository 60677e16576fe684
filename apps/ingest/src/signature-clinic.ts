import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Database } from '@mailroom/db';
import { recordRejection, trimRejections } from '@mailroom/inbox';
import { type Logger, messageOf } from '@mailroom/kernel';
import type { Metrics } from '@mailroom/observability';
import { type Diagnosis, diagnose, type RawRequest, type Rejection } from '@mailroom/providers';
import { type EndpointTable, type OpenEndpoint, validSecrets } from './endpoint-table.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

export interface SignatureClinic {
  /**
   * Takes a delivery that was refused, to find out why when there is time. False when it is not looked into: too many were
   * refused lately. Never waits and never fails.
   */
  admit(endpoint: OpenEndpoint, rejection: Rejection, request: RawRequest): boolean;
  /** Resolves when the case in hand is recorded; those that wait are dropped. */
  close(): Promise<void>;
}

export interface ClinicDependencies {
  readonly database: Database;
  readonly endpoints: EndpointTable;
  readonly metrics: Metrics;
  readonly log: Logger;
}

interface Case {
  readonly endpoint: OpenEndpoint;
  readonly rejection: Rejection;
  readonly request: RawRequest;
}

/**
 * Finds out why deliveries do not verify and keeps a record of it. A flood of forged requests cannot make it a burden: only
 * a few cases a second are looked into, one at a time, in small pieces between which real traffic has its turn, and the
 * record is trimmed to a fixed size.
 */
export function createSignatureClinic({ database, endpoints, metrics, log }: ClinicDependencies): SignatureClinic {
  const everybody = createTokenBucket(ofAllEndpoints);
  const each = new Map<string, TokenBucket>();
  const waiting: Case[] = [];
  let waitingBytes = 0;
  let recorded = 0;
  let working: Promise<void> | undefined;
  let closing = false;

  return {
    admit(endpoint, rejection, request) {
      const { provider, endpoint: name } = endpoint;
      if (closing || waitingBytes + request.body.length > maxWaitingBytes || !mayTake(endpoint)) {
        metrics.diagnosed.add({ provider, endpoint: name, diagnosis: 'not_diagnosed' });
        return false;
      }
      waiting.push({ endpoint, rejection, request });
      waitingBytes += request.body.length;
      working ??= work();
      return true;
    },
    async close() {
      closing = true;
      waiting.length = 0;
      await working;
    },
  };

  /** A flood on one endpoint leaves the others their share, and what anybody can send without a secret leaves most of it. */
  function mayTake({ provider, endpoint }: OpenEndpoint): boolean {
    const key = `${provider}/${endpoint}`;
    const own = each.get(key) ?? createTokenBucket(ofOneEndpoint);
    each.set(key, own);
    return own.take() && everybody.take();
  }

  async function work(): Promise<void> {
    for (;;) {
      // The answer goes out first.
      await setImmediate();
      const next = waiting.shift();
      if (next === undefined) break;
      waitingBytes -= next.request.body.length;
      await lookInto(next);
    }
    working = undefined;
  }

  async function lookInto(rejected: Case): Promise<void> {
    const { endpoint, rejection, request } = rejected;
    try {
      const found = await diagnose(
        { request, rejection, ...surroundings(endpoint) },
        { maxBytes: maxHashedBytes, pause: () => setImmediate() },
      );
      const where = { provider: endpoint.provider, endpoint: endpoint.endpoint };
      metrics.diagnosed.add({ ...where, diagnosis: found.code });
      log.warn('rejection_diagnosed', { ...where, diagnosis: found.code, explanation: found.explanation });
      await recordRejection(database, recordOf(rejected, found));
      if (recorded % trimEvery === 0) await trimRejections(database);
      recorded += 1;
    } catch (error) {
      log.warn('rejection_not_recorded', { error: messageOf(error) });
    }
  }

  function surroundings(endpoint: OpenEndpoint) {
    const others = endpoints.all().filter((other) => other !== endpoint);
    // Those of the same provider first: most mix-ups are there.
    others.sort((a, b) => Number(b.provider === endpoint.provider) - Number(a.provider === endpoint.provider));
    const secrets = validSecrets(endpoint, Date.now());
    const idleSecrets = endpoint.secrets.filter((secret) => !secrets.includes(secret));
    return { endpoint: { ...endpoint, secrets }, idleSecrets, others };
  }
}

function recordOf({ endpoint, rejection, request }: Case, found: Diagnosis) {
  const { body, headers } = request;
  return {
    provider: endpoint.provider,
    endpoint: endpoint.endpoint,
    reason: rejection.reason,
    diagnosis: found.code,
    explanation: found.explanation,
    secretLabel: found.secretLabel,
    skewMs: found.skewMs,
    bodySha256: createHash('sha256').update(body).digest('hex'),
    bodyBytes: body.length,
    contentType: headers.get('content-type')?.[0] ?? null,
    contentEncoding: headers.get('content-encoding')?.[0] ?? null,
    headerNames: [...headers.keys()],
    body: endpoint.keepRejectedBodies ? body : null,
  };
}

/** Enough of an incident to see its cause, and seven hours of it before the record has gone round. */
const ofOneEndpoint = { perSecond: 0.2, burst: 20 };
const ofAllEndpoints = { perSecond: 2, burst: 100 };
const maxWaitingBytes = 32 * 1024 * 1024;
/** Some 20 ms of work, in pieces. */
const maxHashedBytes = 16 * 1024 * 1024;
const trimEvery = 50;
