import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readEmail } from '../../identity/members/logins.ts';
import { countReset } from '../../identity/members/sign-in-attempts.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { completed } from '../completed.ts';

/** `POST /account/v1/password-resets`. The login is looked up after the answer. */
export const requestPasswordReset: AccountHandler<AccountContext, 'requestPasswordReset'> = async (
  context,
  { body },
) => {
  const { mail, members, request } = context;
  const email = readEmail(body.email);
  if (mail === undefined) throw serviceError('mailNotConfigured');
  await countReset(members, { email, address: request.address }, request.nowMs);
  mail.requestReset(email, request);
  return completed(context);
};
