import { randomUUID } from 'node:crypto';
import type { SQL } from 'drizzle-orm';
import { and, eq, isNull, ne } from '../../store/drizzle.ts';
import { accounts, apiKeys } from '../../store/tables.ts';
import { createApiKey, type KeyDeps, revokeApiKey } from '../identity/api-keys/api-keys.ts';
import { ensureDevelopmentLogin, revokeDevelopmentLogin } from './development-login.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import { setOperates } from '../identity/operators.ts';
import { ensureTestCredit } from '../billing/books/credit.ts';
import type { PlanDeps } from '../plans/plans.ts';
import type { TokenDeps } from '../identity/tokens/access-tokens.ts';
import type { TwoFactorDeps } from '../identity/two-factor/two-factor.ts';
import {
  ensureDevelopmentAccess,
  revokeDevelopmentAccess,
  type DevelopmentFile,
  deleteDevelopmentFile,
  readDevelopmentFile,
  writeDevelopmentFile,
} from './development-file.ts';

/** Addresses of the server. Only those that it really serves are given, and written. */
export type ServedAt = {
  readonly dataDir: string;
  readonly baseUrl: string;
  readonly wsUrl: string;
  readonly grpcUrl: string;
  /** `/<network>-<environment>`. */
  readonly rpcPath: string;
};

/** The stores and books that the account is set up in. */
export type DevelopmentDeps = KeyDeps & PlanDeps & TokenDeps & TwoFactorDeps;

/**
 * Sets up the development account, which operates the server, and writes its credentials to `<dataDir>/dev.json` (mode 0600). Key, access
 * token, second factor and password of an earlier start are kept, each if the file still has it and the store knows it; otherwise it is
 * replaced, and what the server made before is revoked. Keys, tokens and members that people made in the account stay.
 * @returns the contents of the file.
 */
export async function ensureDevelopmentAccount(
  deps: DevelopmentDeps,
  served: ServedAt,
  nowMs: number,
): Promise<DevelopmentFile> {
  const accountId = await ensureAccount(deps, nowMs);
  await setOperates(deps, { accountId, operates: true });
  await ensureTestCredit(deps.store, accountId, nowMs);
  const kept = await readDevelopmentFile(served.dataDir);
  const key = findKept(deps, kept, accountId, nowMs) ?? (await createKey(deps, accountId, nowMs));
  const file: DevelopmentFile = {
    base_url: served.baseUrl,
    ws_url: served.wsUrl,
    grpc_url: served.grpcUrl,
    rpc_path: served.rpcPath,
    api_key: key.text,
    ...(await ensureDevelopmentAccess(deps, accountId, kept, nowMs)),
    dashboard_url: `${served.baseUrl}/dashboard`,
    ...(await ensureDevelopmentLogin(deps, accountId, kept, nowMs)),
  };
  await writeDevelopmentFile(served.dataDir, file);
  await revokeKeys(deps, accountId, nowMs, and(eq(apiKeys.name, DEVELOPMENT), ne(apiKeys.id, key.id)));
  return file;
}

/**
 * For a server with an operator's configuration, before it listens: a development account left over from a start without one loses its
 * keys, its access tokens, its second factor, its members and their sessions, it operates the server no longer, and `dev.json` is deleted.
 */
export async function revokeDevelopmentAccount(
  deps: KeyDeps & TokenDeps,
  dataDir: string,
  nowMs: number,
): Promise<void> {
  const accountId = await findAccount(deps);
  if (accountId !== undefined) {
    await setOperates(deps, { accountId, operates: false });
    await revokeKeys(deps, accountId, nowMs);
    await revokeDevelopmentAccess(deps, accountId, nowMs);
    await revokeDevelopmentLogin(deps, accountId, nowMs);
  }
  await deleteDevelopmentFile(dataDir);
}

async function ensureAccount(deps: KeyDeps & PlanDeps, nowMs: number): Promise<string> {
  const row = { id: randomUUID(), kind: 'development' as const, createdAt: new Date(nowMs) };
  const made = await deps.store.db.insert(accounts).values(row).onConflictDoNothing().returning();
  for (const { id, kind, plan } of made) deps.plans.hold({ accountId: id, kind, plan });
  return (await findAccount(deps)) ?? row.id;
}

async function findAccount({ store }: KeyDeps): Promise<string | undefined> {
  const rows = await store.db
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.kind, 'development'));
  return rows[0]?.id;
}

function findKept(
  { keyring }: KeyDeps,
  { api_key: text }: Partial<DevelopmentFile>,
  accountId: string,
  nowMs: number,
) {
  if (text === undefined) return undefined;
  const found = keyring.find(text, nowMs);
  return found.kind === 'valid' && found.accountId === accountId ? { id: found.keyId, text } : undefined;
}

function createKey(deps: KeyDeps, accountId: string, nowMs: number) {
  return createApiKey(deps, { accountId, name: DEVELOPMENT }, nowMs);
}

/** @param which only keys that match; all by default. */
async function revokeKeys(deps: KeyDeps, accountId: string, nowMs: number, which?: SQL): Promise<void> {
  const live = await deps.store.db
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.revokedAt), which));
  for (const { id } of live) await revokeApiKey(deps, id, nowMs);
}
