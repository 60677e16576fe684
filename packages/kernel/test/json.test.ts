import { expect, test } from 'vitest';
import { readJson } from '../src/index.ts';

test('an integer beyond 2^53 is exact, wherever in the text it stands', () => {
  for (let before = 0; before < 40; before += 1) {
    for (const digits of ['9007199254740993', '12345678901234567890']) {
      const reading = readJson(Buffer.from(`["${'x'.repeat(before)}",${digits}]`));
      expect(reading).toEqual({ outcome: 'json', value: ['x'.repeat(before), BigInt(digits)] });
    }
  }
});
