import { verifyAudit } from '../account/audit/verify-audit.ts';
import { findAccount, readAccountNames } from '../account/find-account.ts';
import type { InstallationKey } from '../account/installation-key.ts';
import type { TokenDeps } from '../account/tokens/access-tokens.ts';
import { enrolTwoFactor, removeTwoFactor, unlockTwoFactor } from '../account/two-factor/two-factor.ts';
import type { AccountRequest } from './account-request.ts';
import { type LimitDeps, serveLimits } from './serve-limits.ts';
import { serveMoney } from './serve-money.ts';
import { serveTokens } from './serve-tokens.ts';

/** The parts of the server that requests about accounts act on. */
export type AccountDeps = TokenDeps &
  LimitDeps & {
    readonly installationKey: () => Promise<InstallationKey>;
    /** The file that heads of the audit log are appended to. */
    readonly headsFile: string;
    /** The key that the running signer signs heads with; undefined where none runs. */
    readonly headKey: () => Promise<Uint8Array | undefined>;
  };

/** Does what a request asks, in the store and in memory at once. A secret is only in the result that creates it. */
export async function serveAccount(
  deps: AccountDeps,
  request: AccountRequest,
  nowMs: number,
): Promise<unknown> {
  const { store } = deps;
  switch (request.kind) {
    case 'tokens.create':
    case 'tokens.list':
    case 'tokens.revoke':
      return serveTokens(deps, request, nowMs);
    case 'money.credit':
    case 'money.balance':
      return serveMoney(store, request, nowMs);
    case 'wallet-limit':
    case 'wallet-use-limit':
    case 'wallet-limit.show':
    case 'wallet-use-limit.show':
      return serveLimits(deps, request);
    case 'two-factor.enrol': {
      const { account } = request;
      const accountId = await findAccount(store, account);
      const installationKey = await deps.installationKey();
      const shown = await enrolTwoFactor({ store, installationKey }, { accountId, account }, nowMs);
      return { account, ...shown };
    }
    case 'two-factor.remove': {
      await removeTwoFactor(store, await findAccount(store, request.account));
      return { account: request.account, removed: true };
    }
    case 'two-factor.unlock': {
      await unlockTwoFactor(store, await findAccount(store, request.account));
      return { account: request.account, unlocked: true };
    }
    case 'audit.verify':
      return serveVerify(deps, request);
  }
}

async function serveVerify(
  { store, headsFile, headKey }: AccountDeps,
  { account, publicKeys }: Extract<AccountRequest, { kind: 'audit.verify' }>,
): Promise<unknown> {
  const names = await readAccountNames(store);
  const accountId = account === undefined ? undefined : await findAccount(store, account);
  const own = publicKeys.length > 0 ? undefined : await headKey();
  const trustedKeys = own === undefined ? publicKeys : [own];
  const verdict = await verifyAudit({ store, headsFile, trustedKeys }, accountId);
  return {
    is_sound: verdict.isSound,
    signatures_checked: trustedKeys.length > 0,
    public_keys: trustedKeys.map((key) => Buffer.from(key).toString('hex')),
    accounts: verdict.accounts.map(({ accountId: id, records, signedUpTo, problems }) => ({
      ...{ account: names.get(id) ?? null, account_id: id, records, signed_up_to: signedUpTo },
      problems: problems.map(({ kind, at }) => ({ kind: inSnakeCase(kind), at })),
    })),
    damaged_lines: verdict.damagedLines,
  };
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
