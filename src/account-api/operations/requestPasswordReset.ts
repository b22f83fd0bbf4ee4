import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { readEmail } from '../../account/members/logins.ts';
import { countReset } from '../../account/members/sign-in-attempts.ts';
import { serviceError } from '../../base/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { completed } from '../completed.ts';

/** `POST /account/v1/password-resets`. Whether there is a login is looked up after the answer. */
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
