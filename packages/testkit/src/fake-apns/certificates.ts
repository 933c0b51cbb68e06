// The library's container needs the metadata API in place before it is loaded.
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** What a TLS server for loopback needs, and what its clients have to trust; all PEM. */
export interface LoopbackCertificate {
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;
const CA_NAME = 'CN=Fake APNs test CA';

/** A new CA and a certificate of it for 127.0.0.1, ::1 and localhost; both are valid for thirty days. */
export async function makeLoopbackCertificate(): Promise<LoopbackCertificate> {
  const [caKeys, keys] = await Promise.all([makeKeys(), makeKeys()]);
  // Certificates are checked against the real time, whatever clock the test uses.
  const today = Date.now();
  const validity = { notBefore: new Date(today - DAY_MS), notAfter: new Date(today + 30 * DAY_MS) };
  const ca = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity,
      serialNumber: '01',
      name: CA_NAME,
      signingAlgorithm: ALGORITHM,
      keys: caKeys,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      ],
    },
    webcrypto,
  );
  const certificate = await X509CertificateGenerator.create(
    {
      ...validity,
      serialNumber: '02',
      subject: 'CN=localhost',
      issuer: CA_NAME,
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: caKeys.privateKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([
          { type: 'ip', value: '127.0.0.1' },
          { type: 'ip', value: '::1' },
          { type: 'dns', value: 'localhost' },
        ]),
      ],
    },
    webcrypto,
  );
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    caPem: `${ca.toString('pem')}\n`,
    certPem: `${certificate.toString('pem')}\n`,
    keyPem: `${PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`,
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
