import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { renewBackupCodes as renew } from '../../identity/members/member-factor.ts';
import { type AccountContext, sessionOf } from '../account-context.ts';

/** `POST /account/v1/backup-codes`: new backup codes, in place of those from before. */
export const renewBackupCodes: AccountHandler<AccountContext, 'renewBackupCodes'> = async (context) => {
  const codes = await renew(context.members, sessionOf(context), context.request);
  return { kind: 'json', body: { backup_codes: [...codes] } };
};
