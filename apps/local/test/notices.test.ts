import { expect, it } from 'vitest';
import { createNotices } from '../src/notices.ts';

it('keeps the newest notices, and one for the same again and again', () => {
  const heard: string[] = [];
  const notices = createNotices((_source, text) => heard.push(text));
  for (let number = 0; number < 1000; number += 1) notices.add('worker-1', `number ${number}`);
  notices.add('worker-1', 'again');
  notices.add('worker-1', 'again');
  notices.add('worker-2', 'again');
  expect(notices.last(3).map(({ source, text, times }) => [source, text, times])).toEqual([
    ['worker-1', 'number 999', 1],
    ['worker-1', 'again', 2],
    ['worker-2', 'again', 1],
  ]);
  expect(notices.last(10_000).length).toBeLessThan(500);
  expect(heard).toHaveLength(1003);
});
