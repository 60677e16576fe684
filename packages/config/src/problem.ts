/** One thing wrong with the configuration. No part of it ever holds a secret. */
export interface Problem {
  /** The variable, or the file and the place in it. */
  readonly name: string;
  /** What is there, as far as it may be shown. */
  readonly found: string;
  /** What would be right. */
  readonly right: string;
}

/** One line: `PORT: found "10s"; right: a whole number from 0 to 65535`. */
export function formatProblem(problem: Problem): string {
  return `${problem.name}: found ${problem.found}; right: ${problem.right}`;
}
