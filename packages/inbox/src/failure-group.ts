import { createHash } from 'node:crypto';

export interface FailureShape {
  readonly provider: string;
  readonly eventType: string;
  readonly class: string;
  readonly sqlstate: string | null;
  readonly message: string;
  readonly stack: string | null;
}

/**
 * Which failures a failure looks like: 16 hex digits over its class, SQLSTATE, message without what varies, topmost frames without
 * positions, and event type. The same defect gives the same group in every process and across restarts.
 */
export function failureGroupOf(shape: FailureShape): string {
  const { provider, eventType, sqlstate } = shape;
  const parts = [provider, eventType, shape.class, sqlstate ?? '', normalise(shape.message), framesOf(shape.stack)];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

/** A message without the parts that differ from event to event: quoted texts, ids, numbers. */
function normalise(message: string): string {
  return message
    .replaceAll(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '…')
    .replaceAll(/\b(?=\w*\d)\w{6,}\b/g, '…')
    .replaceAll(/\d+/g, '0')
    .slice(0, 500);
}

function framesOf(stack: string | null): string {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node_modules'));
  return frames
    .slice(0, 3)
    .map((frame) => frame.trim().replace(/\(?(?:file:\/\/)?\S*\/([^/\s:]+):\d+:\d+\)?/, '$1'))
    .join('\n');
}
