import { describe, expect, it } from 'vitest';
import { createRecorder, type RatioRule, ratiosOf } from './figures.ts';
import { percentile, summarise } from './statistics.ts';

describe('the figures of the bench', () => {
  it('takes percentiles by nearest rank, in whatever order the values came', () => {
    const values = Float64Array.from({ length: 1_000 }, (_, at) => 1_000 - at);
    expect([0.5, 0.99, 0.999, 1].map((share) => percentile(values, share))).toEqual([500, 990, 999, 1_000]);
    expect(percentile([], 0.5)).toBeNaN();
  });

  it('takes the median of odd and even numbers of rounds', () => {
    expect(summarise([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3 });
    expect(summarise([4, 1, 2, 3])).toEqual({ median: 2.5, min: 1, max: 4 });
  });

  it('compares with the best of several settings of a peer, round by round', () => {
    const record = createRecorder('work');
    for (const rate of [200, 400]) record.add('each', 'Mailroom', { rate, p50: 1 });
    for (const rate of [100, 100]) record.add('each', 'peer, slow', { rate });
    for (const rate of [50, 400]) record.add('each', 'peer, quick', { rate });
    const side = (contender: RatioRule['of']['contender']) => ({
      scenario: 'each',
      contender,
      metric: 'rate' as const,
    });
    const rule = { title: 'a', of: side('Mailroom'), to: side(['peer, slow', 'peer, quick']), goal: { atLeast: 2 } };
    const unmeasured = { ...rule, of: side('nobody') };
    expect(ratiosOf('work', [rule, unmeasured], record.figures())).toEqual([
      {
        section: 'work',
        title: 'a',
        against: 'peer, quick',
        median: 300 / 225,
        min: 1,
        max: 4,
        goal: 'at least 2',
        reached: false,
      },
    ]);
  });
});
