import type { DatabaseErrorClass } from '@mailroom/db';
import type { ProviderAnswer, RawRequest, Rejection } from '@mailroom/providers';

/** Everything that can become of a POST to an endpoint. */
export type ReceiveOutcome =
  /** Durable: new events, events that were known, unknown types and quarantined ones alike. */
  | { readonly outcome: 'stored'; readonly stored: number; readonly duplicates: number; readonly quarantined: number }
  /** Verified, and nothing in it to keep: a ping, a challenge, an empty batch. */
  | { readonly outcome: 'handshake'; readonly name: string; readonly answer: ProviderAnswer }
  /** `request` for whoever finds out why. */
  | (Rejection & { readonly request: RawRequest })
  /** Whether it is genuine cannot be said now: what it takes to verify is out of reach. */
  | { readonly outcome: 'unverifiable'; readonly detail: string }
  | { readonly outcome: 'unknown_endpoint' }
  | { readonly outcome: 'too_large' }
  | { readonly outcome: 'too_slow' }
  | { readonly outcome: 'aborted' }
  | { readonly outcome: 'shutting_down' }
  /** More is waiting than may wait. */
  | { readonly outcome: 'overloaded' }
  /** The database had not answered in time. A write that still succeeds makes the redelivery a duplicate. */
  | { readonly outcome: 'deadline_passed' }
  | { readonly outcome: 'database_failed'; readonly errorClass: DatabaseErrorClass; readonly error: unknown }
  /** A defect of ours. */
  | { readonly outcome: 'fault'; readonly error: unknown };

/** What the client is told. The body is for a person; a webhook's answer has none. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The one place where an outcome becomes a status. Why a delivery was refused stays out of the answer: it would teach a
 * stranger how to forge one. It is in the log and in the metrics. `accepted` is what the endpoint's provider wants to hear
 * of a stored delivery.
 */
export function answerFor(outcome: ReceiveOutcome, accepted: ProviderAnswer = { status: 200 }): Answer {
  switch (outcome.outcome) {
    case 'stored':
      return answerOf(accepted);
    case 'handshake':
      return answerOf(outcome.answer);
    case 'rejected':
      return { status: 401 };
    case 'unknown_endpoint':
      return { status: 404 };
    case 'too_slow':
      return { status: 408 };
    case 'too_large':
      return { status: 413 };
    case 'aborted':
      // Never read: the client is gone.
      return { status: 400 };
    case 'shutting_down':
    case 'overloaded':
    case 'deadline_passed':
    case 'database_failed':
    case 'unverifiable':
    case 'fault':
      return unavailable;
  }
}

function answerOf({ contentType, ...answer }: ProviderAnswer): Answer {
  return contentType === undefined ? answer : { ...answer, headers: { 'Content-Type': contentType } };
}

/** Providers that read Retry-After come back soon; all others follow their own schedule. */
export const unavailable: Answer = { status: 503, headers: { 'Retry-After': '5' } };
