/**
 * The URL of a certificate, or null where nothing may be fetched from it: it comes from a header that a stranger may have
 * written, so only https on paypal.com itself or below, on the usual port, without credentials. Compared is the host as a URL
 * has it, never a piece of the text: `paypal.com.evil.example` and `evil.example/paypal.com` are elsewhere.
 */
export function certificateUrl(text: string): string | null {
  if (text.length > maxLength || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isPaypal = url.hostname === 'paypal.com' || url.hostname.endsWith('.paypal.com');
  if (url.protocol !== 'https:' || !isPaypal || url.port !== '' || url.username !== '' || url.password !== '')
    return null;
  url.hash = '';
  return url.href;
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
