import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../base/loopback.ts';

const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'] as const;
/** A name or an address of this machine: what a page of another site resolves to it has another name. */
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** True if a request comes from a program on this machine: from no proxy on it, and from no web page of another site. */
export function isLocalRequest({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  const address = socket.remoteAddress;
  return (
    address !== undefined &&
    isLoopback(address) &&
    LOCAL_HOST.test(headers.host ?? 'localhost') &&
    [...PROXY_HEADERS, 'origin'].every((name) => headers[name] === undefined) &&
    headers['sec-fetch-site'] !== 'cross-site'
  );
}
