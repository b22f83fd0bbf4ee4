import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { isSignatureOf } from '../../account/audit/audit-head.ts';
import type { InstallationKey } from '../../account/installation-key.ts';
import { type LabReport, REPORT_FORM } from './report.ts';

/** A report and the signature of the installation that made it. */
export type SignedReport = {
  readonly report: LabReport;
  readonly signature: {
    readonly algorithm: 'Ed25519';
    /** 64 hexadecimal digits. */
    readonly public_key: string;
    /** 128 hexadecimal digits. */
    readonly value: string;
  };
};

/** DER head of an Ed25519 private key (RFC 8410 section 7); the 32 bytes of the seed follow. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const KEY_BYTES = 32;

/** Returns the public key that an installation signs reports with, as 64 hexadecimal digits. */
export function reportKey(key: InstallationKey): string {
  const spki = createPublicKey(privateKeyOf(key)).export({ format: 'der', type: 'spki' });
  return spki.subarray(spki.length - KEY_BYTES).toString('hex');
}

/** Signs a report with a key that is derived from the installation key. */
export function signReport(report: LabReport, key: InstallationKey): SignedReport {
  const value = sign(null, bytesOf(report), privateKeyOf(key)).toString('hex');
  return { report, signature: { algorithm: 'Ed25519', public_key: reportKey(key), value } };
}

/** True when the key that the report names has signed what it says. */
export function isSignedReport({ report, signature }: SignedReport): boolean {
  const key = {
    publicKey: Buffer.from(signature.public_key, 'hex'),
    signature: Buffer.from(signature.value, 'hex'),
  };
  return isSignatureOf(key, bytesOf(report));
}

/** What is signed: the form, a newline, and the report as JSON without white space, its members in the order that they have. */
function bytesOf(report: LabReport): Buffer {
  return Buffer.from(`${REPORT_FORM}\n${JSON.stringify(report)}`);
}

function privateKeyOf(key: InstallationKey): KeyObject {
  const seed = key.derive('lab reports').export();
  const der = Buffer.concat([PKCS8_HEAD, seed]);
  seed.fill(0);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  return privateKey;
}
