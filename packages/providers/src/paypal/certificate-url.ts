/**
 * True where a certificate may be fetched from a URL that a header names, and a stranger may have written: https on paypal.com
 * itself or below, on the usual port, without credentials. Compared is the host as a URL has it, never a piece of the text:
 * `paypal.com.evil.example` and `evil.example/paypal.com` are elsewhere. And written in the one way in which a URL is
 * written out, so that whoever reads it next finds the same host in it.
 */
export function isCertificateUrl(text: string): boolean {
  if (text.length > maxLength || !URL.canParse(text)) return false;
  const { href, protocol, hostname, port, username, password } = new URL(text);
  const isPaypal = hostname === 'paypal.com' || hostname.endsWith('.paypal.com');
  return href === text && protocol === 'https:' && isPaypal && port === '' && username === '' && password === '';
}

/**
 * Where the certificate of an issuer can be had (RFC 5280, "caIssuers"), or null. PayPal's certificates are DigiCert's, and
 * what is fetched must be signed by a trusted root to count; the pinned host is so that no certificate sends us anywhere.
 */
export function issuerUrl(infoAccess: string | undefined): string | null {
  const text = /^CA Issuers - URI:(\S+)$/m.exec(infoAccess ?? '')?.[1] ?? '';
  if (text.length > maxLength || !URL.canParse(text)) return null;
  const url = new URL(text);
  const usual = (url.protocol === 'http:' || url.protocol === 'https:') && url.port === '' && url.username === '';
  return usual && url.hostname === 'cacerts.digicert.com' ? url.href : null;
}

// PayPal documents at most 500 characters (verify-webhook-signature, cert_url).
const maxLength = 500;
