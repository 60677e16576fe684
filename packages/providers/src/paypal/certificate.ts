import { X509Certificate } from 'node:crypto';

/** The certificates of a file, PEM (one or a chain) or DER. Throws where it is neither. */
export function parseCertificates(bytes: Buffer): readonly X509Certificate[] {
  const blocks = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  return (blocks ?? [bytes]).slice(0, maxCertificates).map((block) => new X509Certificate(block));
}

export type ChainVerdict =
  | { readonly outcome: 'trusted' }
  | { readonly outcome: 'untrusted'; readonly detail: string }
  /** Neither among the roots nor among the certificates given is the one that issued `last`. */
  | { readonly outcome: 'incomplete'; readonly last: X509Certificate };

/**
 * Follows the signatures from `leaf` up to a root, all valid at `nowMs`. `others` may hold anything and in any order: what
 * counts is only whose key has signed whom. Revocation is not asked for.
 */
export function judgeChain(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  roots: readonly X509Certificate[],
  nowMs: number,
): ChainVerdict {
  let current = leaf;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    if (nowMs < current.validFromDate.getTime())
      return { outcome: 'untrusted', detail: 'a certificate is not valid yet' };
    if (nowMs > current.validToDate.getTime()) return { outcome: 'untrusted', detail: 'a certificate has expired' };
    if (roots.some((root) => root.fingerprint256 === current.fingerprint256)) return { outcome: 'trusted' };
    const issuer = [...roots, ...others].find((candidate) => candidate.ca && hasIssued(candidate, current));
    if (issuer === undefined || issuer === current) return { outcome: 'incomplete', last: current };
    current = issuer;
  }
  return { outcome: 'untrusted', detail: 'the chain of certificates is too long' };
}

/** The names in the certificates that PayPal signs messages with; any other of its certificates is for something else. */
export function isForMessages(leaf: X509Certificate): boolean {
  return messageHosts.some((host) => leaf.checkHost(host, { wildcards: false }) !== undefined);
}

function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

const messageHosts = ['messageverificationcerts.paypal.com', 'messageverificationcerts.sandbox.paypal.com'];
// Leaf, one or two intermediates, a cross-signed root, a root.
const maxDepth = 5;
const maxCertificates = 8;
