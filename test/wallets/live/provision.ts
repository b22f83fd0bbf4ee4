import { randomUUID } from 'node:crypto';
import type { RestCase } from '../../../runtime/rest-case.ts';
import type { WalletValueName } from '../../../generated/contract/wallets/contract.ts';
import { OPERATIONS, type OperationId, SCOPES } from '../../../generated/wallets/operations.ts';
import { createKeyText } from '../../../src/account/identity/api-keys/key-text.ts';
import type { RunningKeyslot } from '../../support/keyslot.ts';
import { addCredit, command, createToken, enrol } from '../../support/wallet-account.ts';
import { ask, makeMaster, makeWallets } from './ask-wallets.ts';
import { type Authenticator, createAuthenticator } from './authenticator.ts';

/** Everything that a run needs of a server, made. */
export type Provisioned = {
  readonly token: string;
  readonly authenticator: Authenticator;
  /** The value behind a name, for a case. */
  readonly value: (name: WalletValueName, item: RestCase) => Promise<string>;
};

/** More wallets than cases that may destroy one. */
const FRESH_WALLETS = 40;
/** One byte more than a server takes by default. */
const OVERSIZED_BYTES = 1_048_577;
/** A wallet, and nothing is left. */
const PRICE_OF_ONE_USD = '0.001';
const WRONG_CODES_UNTIL_LOCKED = 5;

/** Makes accounts, tokens and wallets in every state that the contract names, on a running server. */
export async function provision(
  { baseUrl, dataDir }: RunningKeyslot,
  databaseUrl?: string,
): Promise<Provisioned> {
  const { token } = await createToken(dataDir, 'own');
  await addCredit(dataDir, 'own', '100');
  const authenticator = createAuthenticator(await enrol(dataDir, 'own'), databaseUrl);
  const other = await createPaying(dataDir, 'other');
  const tokens = await makeTokens(baseUrl, dataDir);
  const [walletId, ...spare] = await makeWallets(baseUrl, token, 1 + FRESH_WALLETS);
  const fresh = [...spare];
  const [otherWalletId] = await makeWallets(baseUrl, other, 1);
  const byName: Partial<Readonly<Record<WalletValueName, string>>> = {
    token,
    wallet_id: walletId,
    other_wallet_id: otherWalletId,
    ...tokens,
    ...(await makeSecondFactors(baseUrl, dataDir, databaseUrl)),
  };
  const makers: Partial<Readonly<Record<WalletValueName, (item: RestCase) => string | Promise<string>>>> = {
    unknown_token: () => createKeyText('ks_tok_'),
    token_without_scope: async ({ operation }) => await tokenWithout(dataDir, operation as OperationId),
    token_at_rate_limit: async () => await useUpRequests(baseUrl, tokens.token_at_rate_limit),
    fresh_wallet_id: () => fresh.pop() ?? usedUp(),
    two_factor_code: () => authenticator.code(),
    wrong_two_factor_code: () => authenticator.wrongCode(),
    fresh_key: () => randomUUID(),
    oversized_text: () => ' '.repeat(OVERSIZED_BYTES),
  };
  if (databaseUrl !== undefined) Object.assign(byName, await makeDestroyed(baseUrl, token, authenticator));
  return {
    token,
    authenticator,
    value: async (name, item) => {
      const value = (await makers[name]?.(item)) ?? byName[name];
      if (value === undefined) throw new Error(`nothing was provisioned for ${name}`);
      return value;
    },
  };
}

function usedUp(): never {
  throw new Error('more wallets are to be destroyed than were made');
}

/** A token of a new account that has money. */
async function createPaying(dataDir: string, account: string): Promise<string> {
  const { token } = await createToken(dataDir, account);
  await addCredit(dataDir, account, '100');
  return token;
}

/** Tokens that are refused, and those of accounts that cannot pay, or not ask, any more. */
async function makeTokens(baseUrl: string, dataDir: string) {
  const revoked = await createToken(dataDir, 'own');
  await command(dataDir, ['tokens', 'revoke', revoked.id]);
  const expired = await createToken(dataDir, 'own', { expiresInMs: 1 });
  const poor = await createToken(dataDir, 'poor');
  await addCredit(dataDir, 'poor', PRICE_OF_ONE_USD);
  const [poorWallet] = await makeWallets(baseUrl, poor.token, 1);
  const indebted = await createToken(dataDir, 'indebted');
  await command(dataDir, ['billing', 'indebted', '--invoiced', '--credit-limit', PRICE_OF_ONE_USD]);
  const [indebtedWallet] = await makeWallets(baseUrl, indebted.token, 1);
  const busy = await createPaying(dataDir, 'busy');
  await command(dataDir, ['wallet-limit', 'busy', '--per-minute', '1']);
  await command(dataDir, ['wallet-use-limit', 'busy', '--per-second', '1']);
  return {
    revoked_token: revoked.token,
    expired_token: expired.token,
    token_without_balance: poor.token,
    wallet_id_without_balance: poorWallet,
    token_at_credit_limit: indebted.token,
    wallet_id_at_credit_limit: indebtedWallet,
    token_at_rate_limit: busy,
  };
}

/** Accounts whose second factor is not there, and locked, each with a wallet. */
async function makeSecondFactors(baseUrl: string, dataDir: string, databaseUrl: string | undefined) {
  const bare = await createPaying(dataDir, 'bare');
  const locked = await createPaying(dataDir, 'locked');
  const { wrongCode } = createAuthenticator(await enrol(dataDir, 'locked'), databaseUrl);
  const [bareWallet] = await makeWallets(baseUrl, bare, 1);
  const [lockedWallet] = await makeWallets(baseUrl, locked, 1);
  for (let count = 0; count < WRONG_CODES_UNTIL_LOCKED; count += 1) {
    const headers = { 'X-Two-Factor-Code': wrongCode() };
    await ask(baseUrl, locked, `DELETE /v1/wallets/${lockedWallet}`, { headers });
  }
  return {
    token_not_enrolled: bare,
    wallet_id_not_enrolled: bareWallet,
    token_locked: locked,
    wallet_id_locked: lockedWallet,
  };
}

async function makeDestroyed(baseUrl: string, token: string, { code }: Authenticator) {
  const [gone] = await makeWallets(baseUrl, token, 1);
  const { master } = await makeMaster(baseUrl, token);
  const halved = await makeMaster(baseUrl, token);
  for (const id of [gone, halved.child]) {
    const headers = { 'X-Two-Factor-Code': await code() };
    const { status, text } = await ask(baseUrl, token, `DELETE /v1/wallets/${id}`, { headers });
    if (status !== 200) throw new Error(`a wallet could not be destroyed: ${text}`);
  }
  return {
    destroyed_wallet_id: gone,
    master_wallet_id: master,
    master_with_destroyed_child: halved.master,
  };
}

/** A token has one scope at least: it has all but those of the operation. */
async function tokenWithout(dataDir: string, operation: OperationId): Promise<string> {
  const needed: readonly string[] = OPERATIONS[operation].scopes;
  const scopes = SCOPES.filter((scope) => !needed.includes(scope));
  return (await createToken(dataDir, 'own', { scopes })).token;
}

/** The one request of a minute, or of a second, may lie in the one before: it is made again. */
async function useUpRequests(baseUrl: string, token: string): Promise<string> {
  await ask(baseUrl, token, 'POST /v1/wallets', { body: {} });
  await ask(baseUrl, token, 'GET /v1/wallets/w_8iUJPsBQGcwe8SGq9nvuTc', {});
  return token;
}
