import type { FloorKind } from './floor-receivers.ts';

/** What one process receives without HTTP before it. */
export interface ReceiveJob {
  readonly url: string;
  readonly way: ReceiveWay;
  /** Callers at once, each waiting for its commit. */
  readonly callers: number;
  readonly warm: number;
  readonly count: number;
}

export type ReceiveWay =
  | { readonly kind: 'mailroom' }
  | { readonly kind: 'floor'; readonly floor: FloorKind; readonly connections: number }
  | { readonly kind: 'graphile-worker'; readonly connections: number }
  | { readonly kind: 'pg-boss'; readonly connections: number };

export interface ReceiveResult {
  readonly seconds: number;
  readonly latencies: Float64Array;
}
