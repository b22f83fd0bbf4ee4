import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccountValueName } from '../../../generated/contract/account/contract.ts';
import { OPERATIONS } from '../../../generated/account/operations.ts';
import { PLANS } from '../../../generated/plans.ts';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { createKeyText } from '../../../src/account/key-text.ts';
import type { RunningKeyslot } from '../../support/keyslot.ts';
import { openMembers } from './provision-members.ts';
import { sessionValues } from './session-values.ts';
import { command, createToken } from '../../support/wallet-account.ts';

const ACCOUNT = 'contract';
const OTHER = 'stranger';

/** What a run of the account contract is given. */
export type Provisioned = AsyncDisposable & {
  readonly value: (name: AccountValueName, item: RestCase) => Promise<string>;
};

/** Makes accounts, keys and tokens with the histories that the cases need. */
export async function provision(
  { dataDir, baseUrl }: RunningKeyslot,
  databaseUrl: string,
): Promise<Provisioned> {
  const own = await createToken(dataDir, ACCOUNT);
  const other = await createToken(dataDir, OTHER);
  const makeKey = async (account: string): Promise<string> =>
    (await command(dataDir, { kind: 'keys.create', account, name: 'made' })).id ?? '';
  const revoked = await createToken(dataDir, ACCOUNT);
  await command(dataDir, { kind: 'tokens.revoke', id: revoked.id });
  const expired = await createToken(dataDir, ACCOUNT, { expiresInMs: 1 });
  const revokedKey = await makeKey(ACCOUNT);
  await command(dataDir, { kind: 'keys.revoke', id: revokedKey });
  const development = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8')) as {
    readonly access_token: string;
  };
  const { keys } = (await command(dataDir, {
    kind: 'keys.list',
    account: 'development',
  })) as unknown as { readonly keys: readonly { readonly id: string; readonly revoked_at: string | null }[] };
  const limited = await createToken(dataDir, 'limited');
  let usedUpAtMs = -Infinity;
  const known: Partial<Readonly<Record<AccountValueName, string>>> = {
    ...{ token: own.token, unknown_token: createKeyText('ks_tok_'), revoked_token: revoked.token },
    ...{ expired_token: expired.token, token_at_rate_limit: limited.token },
    token_without_scope: (await createToken(dataDir, ACCOUNT, { scopes: ['wallets:read'] })).token,
    token_for_tokens: (await createToken(dataDir, ACCOUNT, { scopes: ['tokens:manage'] })).token,
    ...{ revoked_key_id: revokedKey, other_key_id: await makeKey(OTHER), other_token_id: other.id },
    ...{ development_token: development.access_token, development_key_id: keys.at(-1)?.id ?? '' },
    oversized_text: ' '.repeat(2 ** 20 + 1),
  };
  const members = await openMembers({ dataDir, databaseUrl });
  const sessions = await sessionValues(members, { account: ACCOUNT, other: OTHER, limited: 'limited' });
  return {
    [Symbol.asyncDispose]: members.close,
    value: async (name, item) => {
      if (name === 'token_at_rate_limit' && Date.now() - usedUpAtMs > RENEWED_MS) {
        await useUp(baseUrl, limited.token);
        usedUpAtMs = Date.now();
      }
      if (name === 'fresh_key_id') return makeKey(ACCOUNT);
      if (name === 'fresh_token_id') return (await createToken(dataDir, ACCOUNT)).id;
      const value = known[name] ?? (await sessions[name]?.(item));
      if (value === undefined) throw new Error(`nothing provides $${name}`);
      return value;
    },
  };
}

/** Well within a window. */
const RENEWED_MS = 20_000;

/** Makes as many calls as a window has room for. */
async function useUp(baseUrl: string, token: string): Promise<void> {
  const { path } = OPERATIONS.listKeys;
  const headers = { authorization: `Bearer ${token}` };
  const sendOne = async (): Promise<boolean> => {
    const answer = await fetch(`${baseUrl}${path}?limit=1`, { headers });
    await answer.arrayBuffer();
    return answer.ok;
  };
  for (let sent = 0; sent < PLANS.account_limit.requests; sent++) if (!(await sendOne())) return;
}
