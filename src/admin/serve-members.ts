import { ensureAccount } from '../account/accounts.ts';
import { DEVELOPMENT } from '../account/development-name.ts';
import { findAccount } from '../account/find-account.ts';
import { linkTo } from '../account/members/member-links.ts';
import { listMembers } from '../account/members/members.ts';
import { resetMember } from '../account/members/reset-member.ts';
import { createSetupLink } from '../account/members/setup-links.ts';
import { createRequestId } from '../base/request-id.ts';
import type { Store } from '../store/open-store.ts';
import type { MemberCommand } from './member-request.ts';

/** The parts of the server that requests about members act on. */
export type MemberCommandDeps = {
  readonly store: Store;
  /** The base URL that links begin with. @throws ServiceError `invalidCommand` if it is not known. */
  readonly baseUrl: () => Promise<string>;
};

/** Does what a request asks. A link is only in the result that creates it. */
export async function serveMembers(
  { store, baseUrl }: MemberCommandDeps,
  command: MemberCommand,
  nowMs: number,
): Promise<unknown> {
  const { account } = command;
  const request = { requestId: createRequestId(), nowMs };
  switch (command.kind) {
    case 'members.setup-link': {
      // Before anything is made.
      const base = await baseUrl();
      const accountId = await (account === DEVELOPMENT
        ? findAccount(store, account)
        : ensureAccount(store, account, nowMs));
      const { token, expiresAt } = await createSetupLink({ store }, accountId, request);
      return { account, link: linkTo(base, 'setup', token), expires_at: expiresAt };
    }
    case 'members.list': {
      const found = await listMembers({ store }, await findAccount(store, account));
      const members = found.map(({ memberId, hasSecondFactor, createdAt, ...shown }) => ({
        ...{ member_id: memberId, ...shown, has_second_factor: hasSecondFactor, created_at: createdAt },
      }));
      return { account, members };
    }
    case 'members.reset': {
      const base = await baseUrl();
      const { email } = command;
      const accountId = await findAccount(store, account);
      const { token, expiresAt } = await resetMember({ store }, { accountId, email }, request);
      return { account, email, link: linkTo(base, 'reset', token), expires_at: expiresAt };
    }
  }
}
