import type { Rule } from '../rule.ts';

const index = 'docs/adr/README.md';

/** Every decision is numbered and linked from the index, else nobody finds it. */
export const decisionsLinked: Rule = {
  name: 'decisions linked',
  looksAtLeastAt: 1,
  check(tree) {
    const files = [...tree.keys()].filter((path) => path.startsWith('docs/adr/') && path !== index);
    const listed = tree.get(index) ?? '';
    const seen = new Set<string>();
    const violations = files.flatMap((file) => {
      const name = file.slice('docs/adr/'.length);
      const number = /^(\d{4})-[a-z0-9-]+\.md$/.exec(name)?.[1];
      if (number === undefined) return [{ file, problem: 'is not named NNNN-<name>.md' }];
      if (seen.has(number)) return [{ file, problem: `takes the number ${number} a second time` }];
      seen.add(number);
      return listed.includes(`](${name})`) ? [] : [{ file, problem: `is not linked from ${index}` }];
    });
    return { lookedAt: files.length, violations };
  },
  broken: [
    { title: 'no link', files: { [index]: '', 'docs/adr/0001-a.md': '' }, in: 'docs/adr/0001-a.md' },
    { title: 'no number', files: { [index]: '[a](a.md)', 'docs/adr/a.md': '' }, in: 'docs/adr/a.md' },
    {
      title: 'a number taken twice',
      files: { [index]: '[a](0001-a.md) [b](0001-b.md)', 'docs/adr/0001-a.md': '', 'docs/adr/0001-b.md': '' },
      in: 'docs/adr/0001-b.md',
    },
  ],
};
