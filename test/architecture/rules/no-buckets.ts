import type { Rule } from '../rule.ts';
import { typescriptOf } from '../source-tree.ts';

const buckets = /^(utils?|helpers?|types|common|constants?|misc|shared|lib|core|stuff|tools)$/;

/** A name that fits everything says nothing, and what is put under it is not found again. */
export const noBuckets: Rule = {
  name: 'no buckets',
  looksAtLeastAt: 150,
  check(tree) {
    const files = typescriptOf(tree).map(([path]) => path);
    const violations = files.flatMap((path) => {
      const bucket = path.split('/').find((part) => buckets.test(part.replace(/(\.test)?\.ts$/, '')));
      return bucket === undefined
        ? []
        : [{ file: path, problem: `"${bucket}" is a bucket: name it after its concept` }];
    });
    return { lookedAt: files.length, violations };
  },
  broken: ['packages/db/src/utils.ts', 'apps/ops/src/helpers/a.ts', 'test/inbox/common.ts'].map((path) => ({
    title: path,
    files: { [path]: '' },
    in: path,
  })),
};
