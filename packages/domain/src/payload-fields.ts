import { z } from 'zod';

/** A text that a column of that length takes. */
export const text = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => value.isWellFormed() && !value.includes('\0'), 'holds a character that PostgreSQL cannot store');

/** Stripe sends an id, or the object itself where the endpoint's request expanded it, or null. */
export const reference = z
  .union([text(255), z.object({ id: text(255) })], 'neither an id nor an object with an id')
  .nullish()
  .transform((value) => (typeof value === 'object' ? (value?.id ?? null) : (value ?? null)));

/** An integer that an int8 column takes, exact at any size. */
export const wholeNumber = z
  .union([z.int(), z.bigint()], 'not an integer')
  .transform((value) => BigInt(value))
  .refine((value) => value >= -(2n ** 63n) && value < 2n ** 63n, 'beyond 64 bits');

/** Stripe's amounts, in the currency's smallest unit, are never negative: a negative total becomes credit. */
export const amount = wholeNumber.refine((value) => value >= 0n, 'not between 0 and 2^63 - 1');

/** Unix seconds. */
export const seconds = z
  .int()
  .min(0)
  .max(253_402_300_799)
  .transform((value) => new Date(value * 1000));

/** A time as text with its offset, of ISO 8601. */
export const time = z.iso.datetime({ offset: true }).transform((value) => new Date(value));

/** Money as decimal text, never negative, kept to the digit: a number of JavaScript would round it. */
export const decimal = z.string().regex(/^\d{1,18}(\.\d{1,10})?$/, 'not a decimal amount');

/**
 * Money that the provider sends as a JSON number. Up to 15 digits a double gives back exactly what was written; what has more
 * is refused rather than rounded.
 */
export const decimalNumber = z
  .union([z.number(), z.bigint()], 'not a number')
  .transform(String)
  .refine((value) => /^\d+(\.\d+)?$/.test(value), 'not a decimal amount')
  .refine((value) => value.replace('.', '').length <= 15, 'more digits than a JSON number holds exactly');
