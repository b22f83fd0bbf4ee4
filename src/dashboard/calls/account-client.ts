import { createAccountClient } from '../../../generated/account/client.ts';
import { SERVER_ADDRESS } from './places.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';

/** The account service, called with the session of the browser. */
export const account = createAccountClient({ url: SERVER_ADDRESS, fetch: sameOriginFetch });
