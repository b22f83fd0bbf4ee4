import { randomUUID } from 'node:crypto';
import { findAccount } from '../account/find-account.ts';
import { setupUrlOf } from '../account/members/dashboard-url.ts';
import { listMembers } from '../account/members/members.ts';
import { resetMember } from '../account/members/reset-member.ts';
import { createSetupLink, type NewToken } from '../account/members/setup-links.ts';
import type { Store } from '../store/open-store.ts';
import type { AccountRequest } from './account-request.ts';
import { writeSetupLink } from './write-setup-link.ts';

/** The parts of the server that requests about members act on. */
export type MembersDeps = {
  readonly store: Pick<Store, 'db' | 'transaction'>;
  readonly dataDir: string;
  /** The address of the dashboard. */
  readonly dashboardUrl: () => string;
};

type MembersRequest = Extract<AccountRequest, { readonly kind: `members.${string}` }>;

/** Does what a request about members asks. A link is in its result and in `<dataDir>/setup-link`, never in a log. */
export async function serveMembers(
  deps: MembersDeps,
  request: MembersRequest,
  nowMs: number,
): Promise<unknown> {
  const { account } = request;
  const accountId = await findAccount(deps.store, account);
  const asked = { requestId: `cli_${randomUUID()}`, nowMs };
  switch (request.kind) {
    case 'members.setup-link':
      return { account, ...(await showLink(deps, await createSetupLink(deps, accountId, asked))) };
    case 'members.reset': {
      const { email } = request;
      return {
        account,
        email,
        ...(await showLink(deps, await resetMember(deps, { accountId, email }, asked))),
      };
    }
    case 'members.list': {
      const members = await listMembers(deps, accountId);
      const shown = members.map(({ memberId: id, email, name, role, hasSecondFactor, createdAt }) => ({
        ...{ id, email, name, role, has_second_factor: hasSecondFactor, created_at: createdAt },
      }));
      return { account, members: shown };
    }
  }
}

async function showLink({ dataDir, dashboardUrl }: MembersDeps, { token, expiresAt }: NewToken) {
  const link = setupUrlOf(dashboardUrl(), token);
  await writeSetupLink(dataDir, link);
  return { link, expires_at: expiresAt };
}
