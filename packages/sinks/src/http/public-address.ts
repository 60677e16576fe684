import { type LookupAddress, lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { CodedError } from '@mailroom/kernel';

/**
 * Whether an address can be reached over the public internet: not loopback, private, link-local (where clouds keep their metadata
 * service), carrier-grade NAT, multicast, documentation or otherwise special. Source: the IANA IPv4 and IPv6 Special-Purpose Address
 * Registries. An IPv4 address written as IPv6 is judged as what it is.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address.replace(/%.*$/, ''));
  if (family === 4) return !special.check(address, 'ipv4');
  if (family !== 6) return false;
  const plain = address.replace(/%.*$/, '');
  // A BlockList compares a mapped address with its IPv4 rules.
  if (mapped.check(plain, 'ipv6')) return !special.check(plain, 'ipv6');
  return globalUnicast.check(plain, 'ipv6') && !special.check(plain, 'ipv6');
}

/**
 * Resolves names to public addresses only, for the connection itself: what is checked is what is connected to, so a name that changes
 * between two looks gains nothing. Fails with `address_refused` where there is no public one.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses: readonly LookupAddress[]) => {
    if (error) return callback(error, [], undefined);
    const allowed = addresses.filter(({ address }) => isPublicAddress(address));
    const [first] = allowed;
    if (!first) return callback(addressRefused(hostname), [], undefined);
    return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
  });
};

export function addressRefused(host: string): CodedError {
  return new CodedError(
    'address_refused',
    `${host} has no public address; private ones are refused unless allowPrivateAddresses is set`,
  );
}

const special = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  special.addSubnet(network, prefix, 'ipv4');
}
// Of 2000::/3, which is all that is global: protocol assignments with Teredo, documentation, 6to4.
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  special.addSubnet(network, prefix, 'ipv6');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const mapped = new BlockList();
mapped.addSubnet('::ffff:0:0', 96, 'ipv6');
