import type { Rule } from './rule.ts';
import { decisionsLinked } from './rules/decisions-linked.ts';
import { declaredDependencies } from './rules/declared-dependencies.ts';
import { dependencyDirection } from './rules/dependency-direction.ts';
import { everythingIsChecked } from './rules/everything-is-checked.ts';
import { fileCeiling } from './rules/file-ceiling.ts';
import { independentOracle } from './rules/independent-oracle.ts';
import { indexReexports } from './rules/index-reexports.ts';
import { migrationsNumbered } from './rules/migrations-numbered.ts';
import { noBuckets } from './rules/no-buckets.ts';
import { noDefaultExports } from './rules/no-default-exports.ts';
import { outsidePackages } from './rules/outside-packages.ts';
import { processAccess } from './rules/process-access.ts';
import { registered } from './rules/registered.ts';

/** Every rule of the repository's shape. A rule is one file and one line here. */
export const rules: readonly Rule[] = [
  dependencyDirection,
  declaredDependencies,
  outsidePackages,
  processAccess,
  indexReexports,
  fileCeiling,
  noBuckets,
  noDefaultExports,
  registered,
  migrationsNumbered,
  decisionsLinked,
  everythingIsChecked,
  independentOracle,
];
