import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isLoopbackHost } from '../../../core/loopback.ts';
import type { Check } from '../finding.ts';

const part = 'tls';
const DAY_MS = 86_400_000;
/** Certificates for 90 days are renewed with 30 days left; half of that is late. */
const LATE_DAYS = 14;

/** Checks the expiry of the certificate. The settings check that it belongs to its key. */
export const checkTls: Check = async ({ config: { http }, nowMs }) => {
  const { tls, behind_proxy: isBehind, host } = http;
  if (tls === undefined) {
    const detail = isBehind ? 'TLS is terminated by a reverse proxy' : 'none';
    return isBehind || isLoopbackHost(host)
      ? { part, state: 'skipped', detail }
      : {
          part,
          state: 'wrong',
          detail: `none, but other machines can reach ${host}`,
          remedy: 'set KEYSLOT_TLS_CERT_FILE and KEYSLOT_TLS_KEY_FILE',
        };
  }
  const { validTo } = new X509Certificate(await readFile(tls.cert_file));
  const days = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS);
  if (days >= LATE_DAYS)
    return { part, state: 'ok', detail: `the certificate is valid for ${days} more days` };
  return {
    part,
    state: days < 0 ? 'wrong' : 'warning',
    detail: days < 0 ? `the certificate expired on ${validTo}` : `the certificate expires in ${days} days`,
    remedy: `renew it: a server loads a new pair from ${tls.cert_file} and ${tls.key_file} by itself`,
  };
};
