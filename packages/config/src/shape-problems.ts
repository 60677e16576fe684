import type { z } from 'zod';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';
import { notShown, shown } from './shown.ts';

/** What an object of the endpoints file may hold. */
export interface Shape {
  readonly keys: readonly string[];
  /** For each key, what would be right. */
  readonly right: Readonly<Record<string, string>>;
  /** The keys beside which a secret is pasted by mistake: their text is never quoted. */
  readonly unquoted: readonly string[];
}

/**
 * What zod found wrong with `input`, in our words: zod's own messages may quote what they were given, and that may be a
 * secret in the wrong place. `place` names the object that was read.
 */
export function shapeProblems(error: z.ZodError, input: unknown, place: string, shape: Shape): readonly Problem[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(key, place, shape));
    const key = issue.path[0];
    if (key === undefined) return [{ name: place, found: shown(input), right: `an object with ${list(shape.keys)}` }];
    const found = foundAt(input, key, shape.unquoted.includes(String(key)));
    return [{ name: `${place}.${String(key)}`, found, right: shape.right[String(key)] ?? '' }];
  });
}

function unknownKey(key: string, place: string, shape: Shape): Problem {
  const meant = nearest(key, shape.keys);
  // A key of letters can be quoted; anything else might be a secret that slipped to the left of its colon.
  const found = /^[A-Za-z]{1,24}$/.test(key) ? `the unknown key "${key}"` : 'an unknown key (not shown)';
  return { name: place, found, right: meant === null ? list(shape.keys) : `"${meant}"` };
}

function foundAt(input: unknown, key: PropertyKey, unquoted: boolean): string {
  const value = typeof input === 'object' && input !== null ? (input as Record<PropertyKey, unknown>)[key] : undefined;
  return unquoted && typeof value === 'string' ? notShown(value) : shown(value);
}

function list(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(', ');
}
