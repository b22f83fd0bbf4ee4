import { createAccountClient } from '../../../generated/account/client.ts';
import { SERVER_ADDRESS } from './places.ts';

/** Sends requests with the cookie of the session, and never to another origin. */
export const sameOriginFetch: typeof fetch = (target, init) =>
  fetch(target, { ...init, credentials: 'same-origin', mode: 'same-origin', cache: 'no-store' });

/** The account service, called with the session of the browser. */
export const account = createAccountClient({ url: SERVER_ADDRESS, fetch: sameOriginFetch });
