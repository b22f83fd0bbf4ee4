import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../base/loopback.ts';

const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'] as const;
/** True if a request comes from this machine and was not forwarded by a proxy on it. */
export function isLocalRequest({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  const address = socket.remoteAddress;
  return (
    address !== undefined && isLoopback(address) && PROXY_HEADERS.every((name) => headers[name] === undefined)
  );
}
