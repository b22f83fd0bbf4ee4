import { checkMemberCode, readMemberFactor } from '../../account/identity/members/member-factor.ts';
import type { TwoFactorFinding } from '../../account/identity/two-factor/check-code.ts';
import {
  checkTwoFactor,
  readTwoFactor,
  type SecondFactor,
} from '../../account/identity/two-factor/two-factor.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Executes } from '../../store/statement.ts';
import { withStore } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';

/** The second factor that a request needs: that of the member whose session it is, else that of the account. */
export function readSecondFactor(
  db: Executes,
  { accountId, member }: WalletContext['caller'],
): Promise<Omit<SecondFactor, 'accountId'> | undefined> {
  return member === undefined ? readTwoFactor(db, accountId) : readMemberFactor(db, member.userId);
}

/**
 * Uses up a code of that second factor, or counts a wrong one; either is stored before this resolves. A member can use a backup code too.
 *
 * @param seen as `readSecondFactor` just returned it.
 * @throws ServiceError `twoFactorNotEnrolled`, `twoFactorMissing`, `twoFactorInvalid`, `twoFactorLocked`.
 */
export async function assertSecondFactor(
  context: WalletContext,
  code: string | undefined,
  seen: Omit<SecondFactor, 'accountId'> | undefined,
): Promise<void> {
  if (code === undefined)
    throw serviceError(seen === undefined ? 'twoFactorNotEnrolled' : 'twoFactorMissing');
  const finding = await withStore(() => check(context, code, seen));
  if (finding.kind === 'notEnrolled') throw serviceError('twoFactorNotEnrolled');
  if (finding.kind === 'invalid') throw serviceError('twoFactorInvalid');
  if (finding.kind === 'locked') {
    throw serviceError('twoFactorLocked', { retryAt: new Date(finding.retryAtMs).toISOString() });
  }
}

function check(
  { store, installationKey, caller, clock }: WalletContext,
  code: string,
  seen: Omit<SecondFactor, 'accountId'> | undefined,
): Promise<TwoFactorFinding> {
  const { accountId, tokenId, member, address, requestId } = caller;
  const deps = { store, installationKey };
  const nowMs = clock.nowMs();
  if (member === undefined) {
    const row = seen && { ...seen, accountId };
    return checkTwoFactor(deps, { accountId, tokenId, address, code, nowMs }, row);
  }
  const attempt = { userId: member.userId, code, sender: member.sessionId };
  return checkMemberCode(deps, attempt, { requestId, address, nowMs });
}
