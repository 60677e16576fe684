/** A provider's API on a clock that the caller sets. Like those of payment providers it remembers an idempotency key for a day. */
export interface ForgetfulProvider {
  /** Pays back once per key, as long as the key is remembered; answers the refund's id. */
  readonly refund: (key: string) => string;
  readonly passHours: (hours: number) => void;
  readonly nowHours: () => number;
  readonly refunds: () => number;
}

export const keyLifeHours = 24;

export function forgetfulProvider(): ForgetfulProvider {
  const remembered = new Map<string, { readonly refundId: string; readonly atHours: number }>();
  let nowHours = 0;
  let refunds = 0;
  return {
    refund: (key) => {
      const known = remembered.get(key);
      if (known !== undefined && nowHours - known.atHours < keyLifeHours) return known.refundId;
      refunds += 1;
      const refundId = `re_${refunds}`;
      remembered.set(key, { refundId, atHours: nowHours });
      return refundId;
    },
    passHours: (hours) => {
      nowHours += hours;
    },
    nowHours: () => nowHours,
    refunds: () => refunds,
  };
}
