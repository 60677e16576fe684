import { expect, it } from 'vitest';
import { createTeardown } from '../src/teardown.ts';

it('undoes everything, newest first, whatever fails, and throws the first failure at the end', async () => {
  const undone: string[] = [];
  const teardown = createTeardown();
  teardown.add(() => void undone.push('database'));
  teardown.add(() => Promise.reject(new Error('second')));
  teardown.add(async () => {
    await Promise.resolve();
    undone.push('workers');
  });
  teardown.add(() => {
    throw new Error('first');
  });
  await expect(teardown.run()).rejects.toThrow('first');
  expect(undone).toEqual(['workers', 'database']);
  await teardown.run();
  expect(undone).toHaveLength(2);
});
