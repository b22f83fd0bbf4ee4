import { randomUUID } from 'node:crypto';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { ACCOUNT_CONTRACT, type AccountValueName } from '../../../generated/contract/account/contract.ts';
import { OPERATIONS, type Scope } from '../../../generated/account/operations.ts';
import { createKeyText } from '../../account/key-text.ts';
import type { SendWalletRequest } from '../wallets/run-contract.ts';
import {
  askForValue,
  isRefusedAtOnce,
  missing,
  oversizedText,
  rememberEach,
  textOf,
} from './prepare-value.ts';

/** The session that a run is given. */
export type GivenSession = { readonly token: string; readonly role: string; readonly accountId: string };

/** What a caller from outside has. */
export type AccountAccess = {
  readonly token: string | undefined;
  readonly session: GivenSession | undefined;
  /** Whether API keys, access tokens and requests for higher limits may be made. */
  readonly allowWrites: boolean;
  readonly send: SendWalletRequest;
  /** Keeps what `work` makes for the rest of the run; all else is revoked behind the case that it was made for. */
  readonly keep: <T>(work: () => Promise<T>) => Promise<T>;
};

/** The value behind a name, for a case. @throws MissingValue that says why there is none. */
export type AccountValues = (name: AccountValueName, item: RestCase) => Promise<string>;

/** In the form of an id, and never given out. */
const NEVER_MADE = '00000000-0000-4000-8000-000000000000';
const NAME = 'contract run';
/** A token that a run makes ends by itself too. */
const EXPIRES_IN_SECONDS = 3_600;

/** The values that a run can have from outside: the token, the session, and what it makes itself with them. */
export function createAccountValues(access: AccountAccess): AccountValues {
  const { session } = access;
  const remember = rememberEach();
  const once = (name: AccountValueName, make: () => Promise<string>): Promise<string> =>
    remember(name, () => access.keep(make));
  const makeToken = (...scopes: readonly (Scope | 'wallets:read')[]) =>
    make(access, OPERATIONS.createToken.path, { name: NAME, scopes, expires_in_seconds: EXPIRES_IN_SECONDS });
  const makeKey = async (): Promise<string> =>
    textOf((await make(access, OPERATIONS.createKey.path, { name: NAME })).key_id, 'key_id');
  const tokenWith = async (...scopes: readonly (Scope | 'wallets:read')[]): Promise<string> =>
    textOf((await makeToken(...scopes)).access_token, 'access_token');
  const makers: Partial<Readonly<Record<AccountValueName, () => Promise<string>>>> = {
    token: async () => access.token ?? missing('no token is given (--token)'),
    session: async () => session?.token ?? missing('no session is given (--session)'),
    unknown_token: async () => createKeyText('ks_tok_'),
    unknown_session: async () => createKeyText('ks_ses_'),
    oversized_text: async () => oversizedText(),
    work_start: async () => wholeHour(WORK_IN_HOURS),
    work_end: async () => wholeHour(WORK_IN_HOURS + 1),
    new_email: async () => `${randomUUID()}@example.com`,
    own_account_id: async () => session?.accountId ?? missing('no session is given (--session)'),
    fresh_key_id: makeKey,
    fresh_token_id: async () => textOf((await makeToken('account:read')).token_id, 'token_id'),
    fresh_limit_request_id: () => requestLimit(access),
    decided_limit_request_id: () =>
      once('decided_limit_request_id', async () => {
        const id = await requestLimit(access);
        await revoke(access, OPERATIONS.withdrawLimitRequest.path, id);
        return id;
      }),
    fresh_webhook_id: () => makeWebhook(access),
    fresh_delivery_id: async () => sendTest(access, await makeWebhook(access)),
    stopped_webhook_id: () => once('stopped_webhook_id', () => stoppedWebhook(access)),
    stopped_delivery_id: () =>
      once('stopped_delivery_id', async () => {
        const id = await makeWebhook(access);
        const delivery = await sendTest(access, id);
        await turnOff(access, id);
        return delivery;
      }),
    revoked_key_id: () =>
      once('revoked_key_id', async () => {
        const id = await makeKey();
        await revoke(access, OPERATIONS.revokeKey.path, id);
        return id;
      }),
    revoked_token: () =>
      once('revoked_token', async () => {
        const made = await makeToken('account:read');
        await revoke(access, OPERATIONS.revokeToken.path, textOf(made.token_id, 'token_id'));
        return textOf(made.access_token, 'access_token');
      }),
    expiring_token: () => once('expiring_token', () => tokenWith('tokens:manage', 'keys:manage')),
    token_for_tokens: () => once('token_for_tokens', () => tokenWith('tokens:manage')),
    token_for_webhooks: () => once('token_for_webhooks', () => tokenWith('webhooks:manage')),
    token_without_scope: () => once('token_without_scope', () => tokenWith('wallets:read')),
  };
  return async (name, item) => {
    if (isRefusedAtOnce(item) && name.endsWith('_id')) return NEVER_MADE;
    if (session !== undefined && name === `${session.role}_session`) return session.token;
    return await (makers[name] ?? (() => missing(`only the operator has: ${name}`)))();
  };
}

/** Nothing is announced for it: only an operator may. */
const WORK_IN_HOURS = 48;

function wholeHour(inHours: number): string {
  const hourMs = 3_600_000;
  return new Date((Math.ceil(Date.now() / hourMs) + inHours) * hourMs).toISOString();
}

const credentials = ({ token, session }: AccountAccess) =>
  token === undefined ? { token: 'none', session: session?.token ?? 'none' } : { token };

async function requestLimit(access: AccountAccess): Promise<string> {
  const example = ACCOUNT_CONTRACT.requestLimit.cases.find(({ kind }) => kind === 'example');
  const made = await make(access, OPERATIONS.requestLimit.path, { ...Object(example?.request.body) });
  return textOf(made.limit_request_id, 'limit_request_id');
}

/** Nothing is sent to the address: it has none. */
const NOWHERE = 'https://keyslot.invalid/';

async function makeWebhook(access: AccountAccess): Promise<string> {
  const made = await make(access, OPERATIONS.createWebhook.path, { name: NAME, url: NOWHERE });
  return textOf(made.webhook_id, 'webhook_id');
}

async function stoppedWebhook(access: AccountAccess): Promise<string> {
  const id = await makeWebhook(access);
  await turnOff(access, id);
  return id;
}

const turnOff = (access: AccountAccess, id: string) =>
  make(access, fillPath(OPERATIONS.updateWebhook.path, id), { active: false });

async function sendTest(access: AccountAccess, id: string): Promise<string> {
  const made = await make(access, fillPath(OPERATIONS.testWebhook.path, id), undefined);
  return textOf(made.delivery_id, 'delivery_id');
}

async function make(
  access: AccountAccess,
  path: string,
  body: object | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  if (!access.allowWrites) missing('it takes what the run makes (--allow-writes)');
  return await askForValue(access.send, { method: 'POST', path, ...credentials(access), body });
}

/** Revokes or withdraws what the run has made. @throws MissingValue when the server does not. */
export async function revoke(access: AccountAccess, path: string, id: string): Promise<void> {
  await askForValue(access.send, { method: 'DELETE', path: fillPath(path, id), ...credentials(access) });
}

/** The path of an operation with an id in it. */
export const fillPath = (path: string, id: string): string => path.replace(/\{\w+\}/, id);
