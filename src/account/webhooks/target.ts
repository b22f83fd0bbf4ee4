import { isIP } from 'node:net';
import { serviceError } from '../../core/service-error.ts';
import type { AllowedAddresses } from './allowed-addresses.ts';

const MAX_LENGTH = 2_000;
const LOOPBACK = '127.0.0.1';

/**
 * Reads the address of a receiver. A name is resolved when events are sent.
 *
 * @throws ServiceError `bodyInvalid` for an invalid address, and for one that events may not be sent to.
 */
export function readTarget(text: string, allowed: AllowedAddresses): URL {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  const detail =
    url === undefined ? `must be an https URL of at most ${MAX_LENGTH} characters` : problemOf(url, allowed);
  if (url !== undefined && detail === undefined) return url;
  throw serviceError('bodyInvalid', { errors: [{ pointer: '/url', detail: detail ?? '' }] });
}

function problemOf(url: URL, { any, plain }: AllowedAddresses): string | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user or a password';
  if (url.hash !== '') return 'must not contain a fragment';
  const host = hostOf(url);
  const address = host === 'localhost' ? LOOPBACK : isIP(host) === 0 ? undefined : host;
  if (address !== undefined && !any(address))
    return `must not lead to ${host}, which is not a public address`;
  const isPlain = url.protocol === 'http:';
  if (isPlain && (address === undefined || !plain(address))) return 'must begin with https://';
  return undefined;
}

/** The host name or IP address of a URL, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}
