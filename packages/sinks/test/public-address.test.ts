import { expect, test } from 'vitest';
import { isPublicAddress, lookupPublic } from '../src/http/public-address.ts';

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '198.19.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:a01:203',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '100::1',
  'localhost',
  '',
])('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '198.20.0.1', '::ffff:8.8.8.8', '2606:4700:4700::1111', '2a00::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test.each([true, false])(
  'a name with private addresses alone is not resolved for a connection (all: %s)',
  async (all) => {
    const resolved = new Promise<unknown>((resolve) => lookupPublic('localhost', { all }, (error) => resolve(error)));
    expect(await resolved).toMatchObject({ code: 'address_refused' });
  },
);
