/**
 * The path of a request target exactly as it was sent: nothing decoded, no dot segment or double slash removed. A router
 * that reads `URL.pathname` would let `/webhooks/x/%2e%2e/stripe/billing` reach another endpoint than the one that a
 * firewall in front of us saw. Takes the origin form and the absolute form (RFC 9112, section 3.2).
 */
export function rawPath(target: string): string {
  const fromPath = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = fromPath.indexOf('?');
  const path = end < 0 ? fromPath : fromPath.slice(0, end);
  return path === '' ? '/' : path;
}
