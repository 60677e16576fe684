import type { z } from 'zod';
import { nearest } from './nearest.ts';
import type { Problem } from './problem.ts';
import { shown } from './shown.ts';

/** What an object of the endpoints file may hold. */
export interface Shape {
  readonly keys: readonly string[];
  /** For each key, what would be right. */
  readonly right: Readonly<Record<string, string>>;
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
    return [
      { name: `${place}.${String(key)}`, found: shown(propertyOf(input, key)), right: shape.right[String(key)] ?? '' },
    ];
  });
}

function unknownKey(key: string, place: string, shape: Shape): Problem {
  const meant = nearest(key, shape.keys);
  // A key of letters can be quoted; anything else might be a secret that slipped to the left of its colon.
  const found = /^[A-Za-z]{1,24}$/.test(key) ? `the unknown key "${key}"` : 'an unknown key (not shown)';
  return { name: place, found, right: meant === null ? list(shape.keys) : `"${meant}"` };
}

function propertyOf(input: unknown, key: PropertyKey): unknown {
  return typeof input === 'object' && input !== null ? (input as Record<PropertyKey, unknown>)[key] : undefined;
}

function list(keys: readonly string[]): string {
  return keys.map((key) => `"${key}"`).join(', ');
}
