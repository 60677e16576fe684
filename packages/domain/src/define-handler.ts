import { type HandlerOutcome, reject } from '@mailroom/kernel';
import type { z } from 'zod';
import type { Handler, HandlerContext } from './handler.ts';

export interface HandlerDefinition<Payload> {
  readonly provider: string;
  readonly eventType: string;
  /** What this handler needs from the payload. Fields it does not name are let through unread. */
  readonly payload: z.ZodType<Payload>;
  /** Sees only a payload that fits; its type is the schema's output. */
  handle(context: HandlerContext<Payload>): Promise<HandlerOutcome>;
}

/**
 * Makes a handler whose payload is checked at the edge. A payload that does not fit is rejected as `unexpected_payload`: the
 * reason names the fields, never what was found in them, for it is shown to operators and kept longer than the body.
 * Issues of a schema's own (`refine`, `error`) are repeated as they are, so they must not quote the value either.
 */
export function defineHandler<Payload>(definition: HandlerDefinition<Payload>): Handler {
  const { provider, eventType } = definition;
  return { provider, eventType, handle };

  async function handle(context: HandlerContext): Promise<HandlerOutcome> {
    const reading = definition.payload.safeParse(context.payload);
    if (!reading.success) return reject('unexpected_payload', describe(reading.error));
    return await definition.handle({ ...context, payload: reading.data });
  }
}

function describe(error: z.ZodError): string {
  const issues = error.issues
    .slice(0, maxIssues)
    .map((issue) => `${['payload', ...issue.path].join('.')}: ${issue.message}`);
  if (error.issues.length > maxIssues) issues.push(`and ${error.issues.length - maxIssues} more`);
  return issues.join('; ');
}

// Enough to see what is wrong; a reason is one line on an operator's screen and at most 2000 characters in the table.
const maxIssues = 5;
