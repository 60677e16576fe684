import { verify, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type {
  CertificateSource,
  RawRequest,
  Rejection,
  RejectionReason,
  Secret,
  Verification,
  VerifyOptions,
} from '../provider.ts';
import { timeFromText } from '../provider-time.ts';
import { isForMessages, judgeChain, parseCertificates } from './certificate.ts';
import { isCertificateUrl, issuerUrl } from './certificate-url.ts';

/**
 * Verifies `PAYPAL-TRANSMISSION-SIG`: RSA-SHA256 over `transmission id|transmission time|webhook id|CRC-32 of the body`,
 * under the certificate at `PAYPAL-CERT-URL` (PayPal, "Verify webhook signatures"). The webhook id is what is configured as
 * the secret.
 *
 * CRC-32 is no hash: whoever has seen the headers of one delivery can make another body that they fit. That is PayPal's
 * scheme, and the reason why the age of a transmission is bounded here, which PayPal's own libraries do not do.
 */
export async function verifyPaypal(
  request: RawRequest,
  secrets: readonly Secret[],
  options: VerifyOptions,
): Promise<Verification> {
  const [id, time, signature, url, algorithm] = headerNames.map((name) => onlyLine(request, name));
  if (signature === undefined)
    return rejected('signature_missing', 'no PAYPAL-TRANSMISSION-SIG header, or several that differ');
  if (!id || !time || !url || !algorithm)
    return rejected('signature_malformed', 'a PAYPAL- header is missing or doubled');
  if (algorithm !== 'SHA256withRSA') return rejected('signature_malformed', 'PAYPAL-AUTH-ALGO is not SHA256withRSA');
  const sentAt = timeFromText(time);
  if (sentAt === null) return rejected('signature_malformed', 'PAYPAL-TRANSMISSION-TIME is no RFC 3339 time');
  const bytes = Buffer.from(signature, 'base64');
  if (bytes.length > maxSignatureBytes || bytes.toString('base64') !== signature) {
    return rejected('signature_malformed', 'PAYPAL-TRANSMISSION-SIG is not base64');
  }
  if (!isCertificateUrl(url)) return rejected('signature_malformed', 'PAYPAL-CERT-URL is not on paypal.com');
  // Judged before anything is fetched for it: a stranger could have us fetch for old transmissions otherwise.
  const timing = timingProblem(sentAt, options);
  if (timing !== null) return timing;

  const certificate = await trustedCertificate(url, options);
  if (!(certificate instanceof X509Certificate)) return certificate;
  let secretLabel: string | null = null;
  for (const { label, value } of secrets) {
    const signed = Buffer.from(`${id}|${time}|${value}|${crc32(request.body)}`, 'latin1');
    if (value !== '' && verify('RSA-SHA256', signed, certificate.publicKey, bytes)) secretLabel ??= label;
  }
  if (secretLabel !== null) return { outcome: 'verified', secretLabel };
  return rejected('signature_mismatch', 'the signature is right for no configured webhook id');
}

/** A certificate that may sign messages of PayPal's now, or what to answer. */
async function trustedCertificate(url: string, options: VerifyOptions): Promise<X509Certificate | Verification> {
  const { certificates, nowMs } = options;
  if (certificates === undefined) return unavailable('nothing here fetches certificates');
  const fetched = await fetchCertificates(certificates, url);
  const [leaf, ...others] = fetched ?? [];
  if (leaf === undefined) return unavailable('the certificate of PAYPAL-CERT-URL is out of reach or is none');
  if (!isForMessages(leaf)) return rejected('signature_mismatch', 'the certificate is not one for messages of PayPal');

  const known = [...others];
  for (let fetches = 0; ; fetches += 1) {
    const verdict = judgeChain(leaf, known, certificates.roots, nowMs);
    if (verdict.outcome === 'trusted') return leaf;
    if (verdict.outcome === 'untrusted') return rejected('signature_mismatch', verdict.detail);
    const above = issuerUrl(verdict.last.infoAccess);
    const issuers = above === null || fetches === maxIssuers ? null : await fetchCertificates(certificates, above);
    if (issuers === null)
      return unavailable('the issuer of the certificate is not known; NODE_EXTRA_CA_CERTS can name it');
    known.push(...issuers);
  }
}

async function fetchCertificates(source: CertificateSource, url: string): Promise<readonly X509Certificate[] | null> {
  try {
    return parseCertificates(await source.fetch(url));
  } catch {
    // Whatever it is, it is not the sender's fault: PayPal has to be asked to come again.
    return null;
  }
}

/** As old as a retry may be, for it is not documented that one has a time of its own; but never from the future. */
function timingProblem(sentAt: Date, { nowMs, toleranceMs }: VerifyOptions): Rejection | null {
  const ageMs = nowMs - sentAt.getTime();
  if (ageMs > retryWindowMs + toleranceMs) return rejected('timestamp_stale', `sent ${Math.round(ageMs / 1000)} s ago`);
  if (-ageMs > toleranceMs) return rejected('timestamp_future', `sent ${Math.round(-ageMs / 1000)} s in the future`);
  return null;
}

/** The one value of a header; undefined where it is missing or its lines differ (a proxy may double one). */
function onlyLine(request: RawRequest, name: string): string | undefined {
  const [first, ...others] = request.headers.get(name) ?? [];
  return first !== undefined && first.length <= maxHeaderLength && others.every((line) => line === first)
    ? first
    : undefined;
}

function rejected(reason: RejectionReason, detail: string): Rejection {
  return { outcome: 'rejected', reason, detail };
}

function unavailable(detail: string): Verification {
  return { outcome: 'unavailable', detail };
}

const headerNames = [
  'paypal-transmission-id',
  'paypal-transmission-time',
  'paypal-transmission-sig',
  'paypal-cert-url',
  'paypal-auth-algo',
];

/** 25 attempts in three days. */
export const retryWindowMs = 3 * 86_400_000;

const maxHeaderLength = 1000;
// RSA of 4096 bits.
const maxSignatureBytes = 512;
const maxIssuers = 2;
