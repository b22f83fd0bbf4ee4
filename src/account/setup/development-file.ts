import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SQL } from 'drizzle-orm';
import type { DevelopmentLogin } from './development-login.ts';
import { and, eq, isNull, ne } from '../../store/drizzle.ts';
import { accessTokens } from '../../store/access-tables.ts';
import { toServiceError } from '../../core/service-error.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';
import { createToken, revokeToken, setScopes, type TokenDeps } from '../identity/tokens/access-tokens.ts';
import { SCOPES } from '../identity/tokens/scopes.ts';
import {
  enrolTwoFactor,
  hasTwoFactor,
  removeTwoFactor,
  type TwoFactorDeps,
} from '../identity/two-factor/two-factor.ts';

/** `dev.json`: the addresses and credentials of a server that was started without a configuration. */
export type DevelopmentFile = DevelopmentAccess &
  DevelopmentLogin & {
    readonly api_key: string;
    readonly base_url: string;
    readonly ws_url: string;
    /** Address of the topic streams. */
    readonly grpc_url: string;
    readonly rpc_path: string;
    /** The address of the dashboard, which the login below opens. */
    readonly dashboard_url: string;
  };

/** Returns the texts in `<dataDir>/dev.json`; none when the file is missing or not written by this service. */
export async function readDevelopmentFile(dataDir: string): Promise<Partial<DevelopmentFile>> {
  const texts = Object.entries(await readMembers(dataDir)).filter(([, value]) => typeof value === 'string');
  return Object.fromEntries(texts);
}

async function readMembers(dataDir: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return { ...(JSON.parse(await readFile(pathIn(dataDir), 'utf8')) as object) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || isMissing(error)) return {};
    throw error;
  }
}

/** Writes `<dataDir>/dev.json`, readable by its owner only. A reader sees the old file or the new one, whole. */
export async function writeDevelopmentFile(dataDir: string, file: DevelopmentFile): Promise<void> {
  const draft = `${pathIn(dataDir)}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(file, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, pathIn(dataDir));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Deletes `<dataDir>/dev.json` if it exists. */
export async function deleteDevelopmentFile(dataDir: string): Promise<void> {
  await rm(pathIn(dataDir), { force: true });
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Credentials of the development account for the wallet API: the members of `dev.json` with these names. */
type DevelopmentAccess = {
  readonly access_token: string;
  /** Base-32, as authenticator apps take it. */
  readonly totp_secret: string;
};

/**
 * Ensures a token with every scope, and a second factor. Credentials in `kept` from an earlier start are kept if they still work; otherwise
 * they are replaced, and those that the server made before are refused.
 *
 * @param kept contents of `dev.json`, which may be anything.
 */
export async function ensureDevelopmentAccess(
  deps: TokenDeps & TwoFactorDeps,
  accountId: string,
  kept: Partial<DevelopmentAccess>,
  nowMs: number,
): Promise<DevelopmentAccess> {
  const known = findKept(deps, accountId, kept, nowMs);
  // A token of an earlier version lacks scopes that were added since.
  if (known?.isComplete === false) await setScopes(deps, known.id, SCOPES);
  const token = known ?? (await makeToken(deps, accountId, nowMs));
  await revokeTokens(
    deps,
    accountId,
    nowMs,
    and(eq(accessTokens.name, DEVELOPMENT), ne(accessTokens.id, token.id)),
  );
  if (kept.totp_secret !== undefined && (await hasTwoFactor(deps, accountId, kept.totp_secret)))
    return { access_token: token.text, totp_secret: kept.totp_secret };
  await removeSecondFactor(deps, accountId);
  const { secret } = await enrolTwoFactor(deps, { accountId, account: DEVELOPMENT }, nowMs);
  return { access_token: token.text, totp_secret: secret };
}

/** Removes both: revokes every token of the account and deletes its second factor. */
export async function revokeDevelopmentAccess(
  deps: TokenDeps,
  accountId: string,
  nowMs: number,
): Promise<void> {
  await revokeTokens(deps, accountId, nowMs);
  await removeSecondFactor(deps, accountId);
}

function findKept(
  { tokens }: TokenDeps,
  accountId: string,
  { access_token: text = '' }: Partial<DevelopmentAccess>,
  nowMs: number,
) {
  const found = tokens.find(text, nowMs);
  if (found.kind !== 'valid' || found.accountId !== accountId) return undefined;
  return { id: found.tokenId, text, isComplete: SCOPES.every((scope) => found.scopes.has(scope)) };
}

function makeToken(deps: TokenDeps, accountId: string, nowMs: number) {
  const wanted = { accountId, name: DEVELOPMENT, scopes: SCOPES, expiresAtMs: undefined };
  return createToken(deps, wanted, nowMs);
}

async function revokeTokens(deps: TokenDeps, accountId: string, nowMs: number, which?: SQL): Promise<void> {
  const { accountId: owner, id, revokedAt } = accessTokens;
  const live = await deps.store.db
    .select({ id })
    .from(accessTokens)
    .where(and(eq(owner, accountId), isNull(revokedAt), which));
  for (const other of live) await revokeToken(deps, other.id, nowMs);
}

async function removeSecondFactor({ store }: Pick<TokenDeps, 'store'>, accountId: string): Promise<void> {
  await removeTwoFactor(store, accountId).catch((error: unknown) => {
    if (toServiceError(error).code !== 'twoFactorNotEnrolled') throw error;
  });
}
