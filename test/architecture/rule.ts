import type { SourceTree } from './source-tree.ts';

/** One thing that must hold of the whole repository. */
export interface Rule {
  readonly name: string;
  readonly check: (tree: SourceTree) => Finding;
  /** A repository in which the rule looks at fewer things than this was not read: the rule proves nothing there. */
  readonly looksAtLeastAt: number;
  /** Small repositories that break the rule, each in the one file named. */
  readonly broken: readonly Example[];
}

export interface Finding {
  readonly lookedAt: number;
  readonly violations: readonly Violation[];
}

export interface Violation {
  readonly file: string;
  /** What is wrong and what would be right, for whoever broke it. */
  readonly problem: string;
}

export interface Example {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly in: string;
}

/** A violation as the test prints it. */
export function told(rule: Rule, { file, problem }: Violation): string {
  return `${file}: ${problem} [${rule.name}]`;
}
