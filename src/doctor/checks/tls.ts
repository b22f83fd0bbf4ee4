import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isLoopbackHost } from '../../base/loopback.ts';
import type { Check } from '../finding.ts';

const part = 'tls';
const DAY_MS = 86_400_000;
/** Certificates for 90 days are renewed when a third of that is left; half of it is late. */
const LATE_DAYS = 14;

/** Checks how long the certificate is good. That it belongs to its key is checked with the settings. */
export const checkTls: Check = async ({ config: { http }, nowMs }) => {
  const { tls, behind_proxy: isBehind, host } = http;
  if (tls === undefined) {
    const detail = isBehind ? 'a proxy has the certificate' : 'none';
    return isBehind || isLoopbackHost(host)
      ? { part, state: 'skipped', detail }
      : {
          part,
          state: 'wrong',
          detail: `none, and ${host} can be reached by others`,
          remedy: 'set KEYSLOT_TLS_CERT_FILE and KEYSLOT_TLS_KEY_FILE',
        };
  }
  const { validTo } = new X509Certificate(await readFile(tls.cert_file));
  const days = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS);
  if (days >= LATE_DAYS) return { part, state: 'ok', detail: `the certificate is good for ${days} days` };
  return {
    part,
    state: days < 0 ? 'wrong' : 'warning',
    detail: days < 0 ? `the certificate ended on ${validTo}` : `the certificate ends in ${days} days`,
    remedy: `renew it: a server takes a new pair in ${tls.cert_file} and ${tls.key_file} by itself`,
  };
};
