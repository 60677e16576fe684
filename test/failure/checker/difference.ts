export type DifferenceKind =
  /** Acknowledged, and its row or its effect is not there. */
  | 'lost'
  /** There more than once. */
  | 'doubled'
  /** There, and nobody posted what it would come from. */
  | 'unexpected'
  | 'wrong state'
  /** Received after a later one of its aggregate. */
  | 'out of order'
  /** Counters that do not add up. */
  | 'wrong count'
  /** Something that a stopped fleet must not leave behind. */
  | 'left over';

/** One thing that is not as it must be. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** The event, invoice, aggregate or session. */
  readonly key: string;
  readonly detail: string;
}
