import { createRestCall } from '../../../runtime/rest-call.ts';
import { SERVER_ADDRESS } from './places.ts';
import { sameOriginFetch } from './same-origin-fetch.ts';

const send = createRestCall({ url: SERVER_ADDRESS, fetch: sameOriginFetch });

/** Asks for a link by mail. Throws RestCallError: mail_not_configured where the server sends none. */
export const requestPasswordReset = (body: { readonly email: string }): Promise<unknown> =>
  send({ operation: 'requestPasswordReset', method: 'POST', path: '/account/v1/password-resets', body });

/** Takes a new password for the token of a link. Throws RestCallError. */
export const resetPassword = ({
  token,
  password,
}: {
  readonly token: string;
  readonly password: string;
}): Promise<unknown> =>
  send({
    ...{ operation: 'resetPassword', method: 'POST', path: '/account/v1/password-resets/accept' },
    body: { reset_token: token, password },
  });
