// oxlint-disable-next-line import/no-unassigned-import -- @peculiar/x509 is built on it and wants it loaded first
import 'reflect-metadata';
import { KeyObject, sign, webcrypto, X509Certificate } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as x509 from '@peculiar/x509';
import type { CertificateSource, SignedDelivery } from '../src/provider.ts';

/** A root, an intermediate and a certificate for messages, as PayPal and DigiCert have them; only PayPal can sign as PayPal. */
export interface PaypalAuthority {
  readonly certificates: CertificateSource;
  readonly root: X509Certificate;
  readonly sign: (body: Buffer, webhookId: string, nowMs: number) => SignedDelivery;
  /** A certificate of the intermediate's for any name and time, with the key that signs as it. */
  readonly issue: (request: LeafRequest) => Promise<{ readonly leaf: X509Certificate; readonly signer: KeyObject }>;
  /** The intermediate, PEM. */
  readonly intermediate: string;
}

export interface LeafRequest {
  readonly host: string;
  readonly notBefore: string;
  readonly notAfter: string;
}

export const certUrl = 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42-test';
export const messageHost = 'messageverificationcerts.sandbox.paypal.com';

const algorithm = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2048,
};
const years = { notBefore: new Date('2020-01-01'), notAfter: new Date('2040-01-01') };

export async function createPaypalAuthority(): Promise<PaypalAuthority> {
  const [rootKeys, caKeys] = [await newKeys(), await newKeys()];
  const isAuthority = [new x509.BasicConstraintsExtension(true, 2, true)];
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...years,
    name: 'CN=Test Root',
    keys: rootKeys,
    signingAlgorithm: algorithm,
    extensions: isAuthority,
  });
  const intermediate = await x509.X509CertificateGenerator.create({
    ...years,
    subject: 'CN=Test Server CA',
    issuer: root.subject,
    publicKey: caKeys.publicKey,
    signingKey: rootKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: isAuthority,
  });

  const issue = async ({ host, notBefore, notAfter }: LeafRequest) => {
    const keys = await newKeys();
    const leaf = await x509.X509CertificateGenerator.create({
      notBefore: new Date(notBefore),
      notAfter: new Date(notAfter),
      subject: `CN=${host}`,
      issuer: intermediate.subject,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
    });
    return { leaf: new X509Certificate(leaf.toString('pem')), signer: KeyObject.from(keys.privateKey) };
  };
  const { leaf, signer } = await issue({ host: messageHost, notBefore: '2026-01-01', notAfter: '2027-06-01' });
  const rootCertificate = new X509Certificate(root.toString('pem'));
  const chain = Buffer.from(`${leaf.toString()}${intermediate.toString('pem')}`);
  return {
    root: rootCertificate,
    intermediate: intermediate.toString('pem'),
    certificates: {
      fetch: (url) => (url === certUrl ? Promise.resolve(chain) : Promise.reject(new Error('404'))),
      roots: [rootCertificate],
    },
    sign: (body, webhookId, nowMs) => signAsPaypal(signer, body, webhookId, nowMs),
    issue,
  };
}

/** What PayPal sends with a body, signed with any key. */
export function signAsPaypal(signer: KeyObject, body: Buffer, webhookId: string, nowMs: number): SignedDelivery {
  const id = 'dfb3be50-fd74-11e4-8bf3-77339302725b';
  const time = new Date(nowMs).toISOString();
  const signature = sign('RSA-SHA256', Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`), signer);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'paypal-transmission-sig': signature.toString('base64'),
      'paypal-transmission-id': id,
      'paypal-transmission-time': time,
      'paypal-cert-url': certUrl,
      'paypal-auth-algo': 'SHA256withRSA',
    },
  };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}
