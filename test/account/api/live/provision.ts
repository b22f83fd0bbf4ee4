import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { AccountValueName } from '../../../../generated/contract/account/contract.ts';
import { OPERATIONS } from '../../../../generated/account/operations.ts';
import { createAccountClient, isAccountError } from '../../../../generated/account/client.ts';
import type { RestCase } from '../../../../runtime/rest-case.ts';
import { SCOPES } from '../../../../src/account/identity/tokens/scopes.ts';
import { MAX_OPEN_REQUESTS } from '../../../../src/account/plans/limit-requests.ts';
import { createKeyText } from '../../../../src/account/identity/api-keys/key-text.ts';
import type { RunningKeyslot } from '../../../support/keyslot.ts';
import { sessionCookieName } from '../../../../src/server/rest/session-cookie.ts';
import { provisionBilling } from './provision-billing.ts';
import { provisionWebhooks } from './provision-webhooks.ts';
import { provisionWork } from './provision-work.ts';
import { openMembers } from './provision-members.ts';
import { sessionValues } from './session-values.ts';
import { command, createToken } from '../../../support/wallet-account.ts';

const ACCOUNT = 'contract';
const OTHER = 'stranger';
const ENDING = ['tokens:manage', 'keys:manage'];
const CUSTOMER = 'customer';
const STAFF = 'staff';

/** The values and data that a run of the account contract needs. */
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
    (await command(dataDir, ['keys', 'create', '--account', account, '--name', 'made'])).id ?? '';
  const revoked = await createToken(dataDir, ACCOUNT);
  await command(dataDir, ['tokens', 'revoke', revoked.id]);
  const expired = await createToken(dataDir, ACCOUNT, { expiresInMs: 1 });
  const revokedKey = await makeKey(ACCOUNT);
  await command(dataDir, ['keys', 'revoke', revokedKey]);
  const development = JSON.parse(await readFile(join(dataDir, 'dev.json'), 'utf8')) as {
    readonly access_token: string;
  };
  const { keys } = (await command(dataDir, {
    kind: 'keys.list',
    account: 'development',
  })) as unknown as { readonly keys: readonly { readonly id: string; readonly revoked_at: string | null }[] };
  await command(dataDir, ['accounts', 'create', 'limited', '--operator']);
  const limited = await createToken(dataDir, 'limited', { scopes: SCOPES });
  const operated = await provisionOperator(dataDir);
  const work = await provisionWork({ baseUrl, databaseUrl }, operated.operator_token ?? '');
  const limits = await provisionLimitRequests({ dataDir, baseUrl }, own.token);
  let usedUpUntilMs = -Infinity;
  const known: Partial<Readonly<Record<AccountValueName, string>>> = {
    token: own.token,
    unknown_token: createKeyText('ks_tok_'),
    revoked_token: revoked.token,
    expired_token: expired.token,
    token_at_rate_limit: limited.token,
    token_without_scope: (await createToken(dataDir, ACCOUNT, { scopes: ['wallets:read'] })).token,
    token_for_webhooks: (await createToken(dataDir, ACCOUNT, { scopes: ['webhooks:manage'] })).token,
    expiring_token: (await createToken(dataDir, ACCOUNT, { scopes: ENDING, expiresInMs: 3_000_000 })).token,
    token_for_tokens: (await createToken(dataDir, ACCOUNT, { scopes: ['tokens:manage'] })).token,
    revoked_key_id: revokedKey,
    other_key_id: await makeKey(OTHER),
    other_token_id: other.id,
    development_token: development.access_token,
    development_key_id: keys.at(-1)?.id ?? '',
    ...operated,
    ...limits.known,
    ...work.known,
    logged_request_id: await makeLoggedRequest(baseUrl, own.token),
    ...(await provisionKeys(dataDir)),
    oversized_text: ' '.repeat(2 ** 20 + 1),
  };
  const members = await openMembers({ dataDir, databaseUrl });
  const webhooks = await provisionWebhooks({ ...members, dataDir, names: { own: ACCOUNT, other: OTHER } });
  const billing = await provisionBilling({ ...members, dataDir, names: { own: ACCOUNT, other: OTHER } });
  const sessions = await sessionValues(members, {
    account: ACCOUNT,
    other: OTHER,
    limited: 'limited',
    operator: STAFF,
  });
  let sessionUsedUpUntilMs = -Infinity;
  /** A member counts for himself, so a session needs its own requests. */
  const limitedSession = async (): Promise<string> => {
    const session = await members.newSession(sessions.limited);
    if (Date.now() > sessionUsedUpUntilMs)
      sessionUsedUpUntilMs = await useUp(baseUrl, { cookie: `${sessionCookieName(baseUrl)}=${session}` });
    return session;
  };
  return {
    [Symbol.asyncDispose]: members.close,
    value: async (name, item) => {
      if (name === 'session_at_rate_limit') return limitedSession();
      if (name === 'token_at_rate_limit' && Date.now() > usedUpUntilMs)
        usedUpUntilMs = await useUp(baseUrl, { authorization: `Bearer ${limited.token}` });
      if (name === 'fresh_work_id') return work.fresh();
      if (name === 'fresh_key_id') return makeKey(ACCOUNT);
      if (name === 'fresh_token_id') return (await createToken(dataDir, ACCOUNT)).id;
      if (name === 'fresh_account_name') return `made-${randomUUID()}`;
      if (name === 'fresh_plan_name') return setPlan(dataDir, `made-${randomUUID()}`);
      if (name === 'fresh_webhook_id') return webhooks.fresh();
      if (name === 'fresh_delivery_id') return webhooks.freshDelivery();
      if (name === 'fresh_limit_request_id') return limits.fresh();
      const value =
        known[name] ?? billing[name] ?? webhooks.known[name] ?? (await sessions.values[name]?.(item));
      if (value === undefined) throw new Error(`nothing provides $${name}`);
      return value;
    },
  };
}

/** Makes a request, which the log of its account has. @returns its id. */
async function makeLoggedRequest(baseUrl: string, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${baseUrl}${OPERATIONS.listKeys.path}?limit=1`, { headers });
  await answer.arrayBuffer();
  return answer.headers.get('x-request-id') ?? '';
}

/** The time that a request may take to be sent and answered. */
const MARGIN_MS = 3_000;

/** Makes as many calls as a window has room for, of one that has long to go. @returns until when the account is refused for certain. */
async function useUp(baseUrl: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { path } = OPERATIONS.listKeys;
  for (;;) {
    const answer = await fetch(`${baseUrl}${path}?limit=1`, { headers });
    await answer.arrayBuffer();
    const leftMs = Number(answer.headers.get('retry-after')) * 1_000;
    if (answer.status === 429 && leftMs > 2 * MARGIN_MS) return Date.now() + leftMs - MARGIN_MS;
    // One that ends soon is not waited for with a request after the other.
    if (answer.status === 429) await setTimeout(leftMs);
  }
}

/** Makes an account that operates the server, one that it may change, and a plan that is in use. */
async function provisionOperator(dataDir: string): Promise<Partial<Record<AccountValueName, string>>> {
  await command(dataDir, ['accounts', 'create', STAFF, '--operator']);
  const customer = await command(dataDir, ['accounts', 'create', CUSTOMER]);
  const used = await setPlan(dataDir, 'used');
  await command(dataDir, ['plans', 'assign', OTHER, used]);
  return {
    operator_token: (await createToken(dataDir, STAFF, { scopes: SCOPES })).token,
    customer_id: customer.id ?? '',
    customer_name: CUSTOMER,
    used_plan_name: used,
  };
}

async function setPlan(dataDir: string, name: string): Promise<string> {
  await command(dataDir, ['plans', 'set', name, '--requests-per-second', '100', '--burst', '500']);
  return name;
}

/** Makes an account with twice as many keys as it may create, and as many tokens. */
async function provisionKeys(dataDir: string) {
  const account = 'full';
  const { token } = await createToken(dataDir, account);
  const keys = Array.from({ length: 200 }, () =>
    command(dataDir, ['keys', 'create', '--account', account, '--name', 'made']),
  );
  const [key] = await Promise.all(keys);
  await Promise.all(Array.from({ length: 99 }, () => createToken(dataDir, account)));
  return { token_at_keys: token, key_at_keys: key?.id ?? '' };
}

/** Makes requests for higher limits of the account of a token, and of others. */
async function provisionLimitRequests(
  { dataDir, baseUrl }: Pick<RunningKeyslot, 'dataDir' | 'baseUrl'>,
  token: string,
) {
  const clientOf = (each: string) => createAccountClient({ url: baseUrl, token: each });
  const own = clientOf(token);
  const wanted = { limit: 'wallet_create', wanted: '2000', reason: 'a contract run' } as const;
  const requestOf = async (
    account: string,
    request: { readonly limit: 'plan' | 'wallet_create'; readonly wanted: string },
  ) => {
    const client = clientOf((await createToken(dataDir, account)).token);
    return (await client.requestLimit({ ...wanted, ...request })).limit_request_id;
  };
  /** Room is made by withdrawing what is open. */
  const fresh = async (): Promise<string> => {
    try {
      return (await own.requestLimit(wanted)).limit_request_id;
    } catch (error) {
      if (!isAccountError(error, 'limit_requests_too_many')) throw error;
      const { limit_requests: all } = await own.listLimitRequests();
      for (const { limit_request_id: id, state } of all)
        if (state === 'open') await own.withdrawLimitRequest(id);
      return fresh();
    }
  };
  const decided = await fresh();
  await own.withdrawLimitRequest(decided);
  const gone = await setPlan(dataDir, 'gone');
  const stale = await requestOf(OTHER, { limit: 'plan', wanted: gone });
  await command(dataDir, ['plans', 'remove', gone]);
  const full = clientOf((await createToken(dataDir, 'asking')).token);
  for (let sent = 0; sent < MAX_OPEN_REQUESTS; sent++) await full.requestLimit(wanted);
  const known: Partial<Record<AccountValueName, string>> = {
    decided_limit_request_id: decided,
    stale_limit_request_id: stale,
    other_limit_request_id: await requestOf(OTHER, { limit: 'wallet_create', wanted: '2000' }),
    token_at_open_requests: (await createToken(dataDir, 'asking')).token,
  };
  return { known, fresh };
}
