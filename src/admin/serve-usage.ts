import { hasApiKey } from '../account/api-keys.ts';
import { findAccount } from '../account/find-account.ts';
import { readUsage } from '../account/read-usage.ts';
import { readWalletUsage } from '../account/read-wallet-usage.ts';
import { printUsd } from '../../runtime/micro-usd.ts';
import { WALLET_GROUPS } from '../account/usage-group.ts';
import { serviceError } from '../base/service-error.ts';
import type { Store } from '../store/open-store.ts';
import type { UsageRequest } from './usage-request.ts';

export type UsageDeps = {
  readonly store: Store;
  /** Stores the counts that are not stored yet. */
  readonly flushUsage: () => Promise<void>;
};

/**
 * Sums up the usage, including counts that are not stored yet.
 *
 * @throws ServiceError `accountNotFound`, `keyNotFound`: a mistyped name is not an empty answer.
 */
export async function serveUsage({ store, flushUsage }: UsageDeps, request: UsageRequest): Promise<unknown> {
  const { sinceMs, by, account, keyId } = request;
  const accountId = account === undefined ? undefined : await findAccount(store, account);
  if (keyId !== undefined && !(await hasApiKey(store, keyId)))
    throw serviceError('keyNotFound', { id: keyId });
  await flushUsage();
  const sums = await readUsage(store, { sinceMs, by, accountId, keyId });
  return {
    since: new Date(Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS),
    by,
    account: account ?? null,
    key: keyId ?? null,
    rows: sums.map(({ group, key, callerErrors, ...counts }) => ({
      ...{ [by]: group, ...key, ...counts, caller_errors: callerErrors },
    })),
    wallets: await showWallets(store, { ...request, accountId }),
  };
}

/** Null where nothing is known of wallet operations: they belong to no network and no API key. */
async function showWallets(
  store: Store,
  { sinceMs, by: group, accountId, keyId }: UsageRequest & { readonly accountId: string | undefined },
): Promise<unknown> {
  if (group === 'network' || keyId !== undefined) return null;
  const by = WALLET_GROUPS[group];
  const sums = await readWalletUsage(store, { sinceMs, by, accountId });
  const rows = sums.map(({ group: name, token, charged, ...counts }) => ({
    ...{ [by]: name, ...token, ...counts },
    ...(charged && { units: Number(charged.units), cost_usd: printUsd(charged.cost) }),
  }));
  return { by, rows };
}

const MINUTE_MS = 60_000;
