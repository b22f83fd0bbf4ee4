import { createRestCall } from '../../../runtime/rest-call.ts';
import { SERVER_ADDRESS } from './places.ts';
import { sameOriginFetch } from './account-client.ts';

const send = createRestCall({ url: SERVER_ADDRESS, fetch: sameOriginFetch });

/** Requests a link by email. Throws RestCallError: mail_not_configured if the server sends no email. */
export const requestPasswordReset = (body: { readonly email: string }): Promise<unknown> =>
  send({ operation: 'requestPasswordReset', method: 'POST', path: '/account/v1/password-resets', body });

/** Sets a new password with the token of a link. Throws RestCallError. */
export const resetPassword = ({
  token,
  password,
}: {
  readonly token: string;
  readonly password: string;
}): Promise<unknown> =>
  send({
    operation: 'resetPassword',
    method: 'POST',
    path: '/account/v1/password-resets/accept',
    body: { reset_token: token, password },
  });
