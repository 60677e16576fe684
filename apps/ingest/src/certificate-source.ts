import { X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { CodedError } from '@mailroom/kernel';
import type { CertificateSource } from '@mailroom/providers';

export interface CertificateSourceOptions {
  /** One fetch, from the first byte out to the last byte in, milliseconds. */
  readonly timeoutMs: number;
  readonly nowMs: () => number;
}

/**
 * Fetches the certificates that a provider says its deliveries are signed under. Which URL may be asked is the scheme's
 * question; here it is only bounded: one fetch of a URL at a time, few at once, few in a minute, few bytes, no redirects.
 * Requests of strangers can name a URL without end, and must neither keep us busy nor make us a nuisance to the provider;
 * what is kept already goes on working meanwhile. The roots are Node's, and those of NODE_EXTRA_CA_CERTS.
 */
export function createCertificateSource({ timeoutMs, nowMs }: CertificateSourceOptions): CertificateSource {
  const kept = new Map<string, { readonly bytes: Promise<Buffer>; readonly until: number }>();
  let inFlight = 0;
  let startedInWindow = 0;
  let windowEnds = 0;
  let roots: readonly X509Certificate[] | undefined;

  return {
    fetch: fetchOrKept,
    get roots() {
      // Parsing a hundred of them takes a while, and most ingestors never need one.
      roots ??= getCACertificates('default').map((pem) => new X509Certificate(pem));
      return roots;
    },
  };

  function fetchOrKept(url: string): Promise<Buffer> {
    const known = kept.get(url);
    if (known !== undefined && known.until > nowMs()) return known.bytes;
    if (!mayStart())
      return Promise.reject(new CodedError('certificate_unavailable', 'too many certificates are asked for'));
    inFlight += 1;
    const bytes = download(url, timeoutMs).finally(() => {
      inFlight -= 1;
    });
    keep(url, bytes, goodForMs);
    // A failure is kept for a moment too, so that a storm of retries asks once.
    bytes.catch(() => keep(url, bytes, badForMs));
    return bytes;
  }

  function mayStart(): boolean {
    if (nowMs() >= windowEnds) {
      windowEnds = nowMs() + windowMs;
      startedInWindow = 0;
    }
    if (inFlight >= maxInFlight || startedInWindow >= maxInWindow) return false;
    startedInWindow += 1;
    return true;
  }

  function keep(url: string, bytes: Promise<Buffer>, forMs: number): void {
    kept.delete(url);
    kept.set(url, { bytes, until: nowMs() + forMs });
    // Failures go first, and by age: a flood of them must not push out the certificate that works.
    while (kept.size > maxKept) {
      const worst = [...kept].find(([, { until }]) => until <= nowMs() + badForMs) ?? [...kept][0];
      if (worst !== undefined) kept.delete(worst[0]);
    }
  }
}

async function download(url: string, timeoutMs: number): Promise<Buffer> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (response.status !== 200 || response.body === null) throw new Error(`answered ${response.status}`);
    const pieces: Uint8Array[] = [];
    let size = 0;
    // Leaving the loop early cancels the rest of the body.
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > maxBytes) throw new Error('sent more than a certificate has');
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    throw new CodedError('certificate_unavailable', `no certificate from ${url}`, { cause: error });
  }
}

// PayPal changes its certificate once a year or so, under a new URL; validity is judged at each use.
const goodForMs = 86_400_000;
const badForMs = 10_000;
const maxKept = 32;
const maxInFlight = 4;
const windowMs = 60_000;
const maxInWindow = 30;
// A chain of four is some 8 KB.
const maxBytes = 65_536;
