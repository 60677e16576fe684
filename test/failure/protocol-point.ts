/** The places of the protocol at which a worker's death or pause can matter. */
export const protocolPoints = [
  'after_claim',
  'in_handler',
  'before_commit',
  'after_commit',
  'before_failure_record',
] as const;

export type ProtocolPoint = (typeof protocolPoints)[number];

/** What is done to the process there: killed, stopped, or its connection reset under it. */
export type PointAct = 'SIGKILL' | 'SIGSTOP' | 'cut';

/** What a worker of the fleet can be told; see preload/. */
export type WorkerMessage =
  | { readonly arm: { readonly point: ProtocolPoint; readonly act: PointAct } }
  | { readonly disarm: true }
  | { readonly shiftMs: number };

/** The line that a worker prints when it is where it was told to act. */
export const reachedLine = '{"chaos":"reached"}';
