import type { IncomingHttpHeaders } from 'node:http';
import { serviceError } from '../../base/service-error.ts';

/** What browsers say of requests that this server's own pages or the user made (Fetch Metadata). */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Refuses a request that a page of another origin sent. Programs that are no browsers send neither header.
 * @param origin the origin of this server, as the client knows it.
 * @throws ServiceError `crossSiteRequest`.
 */
export function assertSameSite(headers: IncomingHttpHeaders, origin: string): void {
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? undefined : OWN_SITES.includes(String(site));
  const isOwnOrigin = headers.origin === undefined || headers.origin === origin;
  if (!(isOwn ?? isOwnOrigin)) throw serviceError('crossSiteRequest');
}
