/** A provider's API on a clock that the caller sets. Like those of payment providers it remembers an idempotency key for a day. */
export interface ForgetfulProvider {
  /** Pays back once per key, as long as the key is remembered; answers the refund's id. */
  readonly refund: (key: string) => string;
  /** The refund that carries this key, in the list of all refunds. */
  readonly find: (key: string) => string | undefined;
  readonly passHours: (hours: number) => void;
  readonly refunds: () => number;
}

const keyLifeHours = 24;

export function forgetfulProvider(): ForgetfulProvider {
  const remembered = new Map<string, { readonly refundId: string; readonly atHours: number }>();
  let nowHours = 0;
  const refunds: { readonly id: string; readonly key: string }[] = [];
  return {
    refund: (key) => {
      const known = remembered.get(key);
      if (known !== undefined && nowHours - known.atHours < keyLifeHours) return known.refundId;
      const refundId = `re_${refunds.length + 1}`;
      refunds.push({ id: refundId, key });
      remembered.set(key, { refundId, atHours: nowHours });
      return refundId;
    },
    find: (key) => refunds.find((refund) => refund.key === key)?.id,
    passHours: (hours) => {
      nowHours += hours;
    },
    refunds: () => refunds.length,
  };
}
