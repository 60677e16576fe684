import { describe, expect, it } from 'vitest';
import { waitFor } from './wait-for.ts';

describe('waitFor', () => {
  it('looks again until the condition gives something, and resolves with it', async () => {
    const answers = [false, null, undefined, 0, '', 'found'];
    expect(await waitFor('an answer', () => answers.shift())).toBe('found');
  });

  it('looks at least once, even with no time at all', async () => {
    expect(await waitFor('an answer', () => 'at once', { deadlineMs: 0 })).toBe('at once');
  });

  it('says what it waited for, how long, and what the last look threw', async () => {
    const wait = waitFor('the moon', () => Promise.reject(new Error('cloudy')), { deadlineMs: 30 });
    await expect(wait).rejects.toThrow(
      'waited for the moon, but it did not happen within 30 ms; the last look threw: cloudy',
    );
  });

  it('takes a look that throws for "not yet"', async () => {
    let looks = 0;
    const found = await waitFor('the third look', () => {
      looks += 1;
      if (looks < 3) throw new Error('not yet');
      return looks;
    });
    expect(found).toBe(3);
  });
});
