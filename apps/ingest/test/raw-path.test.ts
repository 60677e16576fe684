import { describe, expect, it } from 'vitest';
import { rawPath } from '../src/raw-path.ts';

describe('rawPath', () => {
  it.each([
    ['/webhooks/stripe/billing', '/webhooks/stripe/billing'],
    ['/webhooks/stripe/billing?source=a/../b', '/webhooks/stripe/billing'],
    ['http://mailroom.example/webhooks/stripe/billing?x', '/webhooks/stripe/billing'],
    ['HTTPS://mailroom.example:8443/a', '/a'],
    ['http://mailroom.example', '/'],
    ['', '/'],
  ])('takes the path out of %j', (target, path) => {
    expect(rawPath(target)).toBe(path);
  });

  it.each(['/webhooks/x/%2e%2e/stripe/billing', '/a/../b', '//a', '/a%2Fb', '/a#b', '/A', '/%', '/%ff'])(
    'leaves %j as it was sent',
    (target) => {
      expect(rawPath(target)).toBe(target);
    },
  );
});
