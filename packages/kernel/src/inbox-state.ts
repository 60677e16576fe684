/** The states a row of the inbox can be in, in the order people look at them. */
export const inboxStates = [
  'pending',
  'held',
  'exhausted',
  'rejected',
  'parked',
  'quarantined',
  'processed',
  'ignored',
] as const;

export type InboxState = (typeof inboxStates)[number];
