import { randomUUID } from 'node:crypto';
import type { RestCase, RestCaseRequest } from '../../../../runtime/rest-case.ts';
import { ACCOUNT_CONTRACT, type AccountValueName } from '../../../../generated/contract/account/contract.ts';
import { OPERATIONS, type Scope } from '../../../../generated/account/operations.ts';
import type { Pace } from '../json-rpc.ts';
import type { Answer } from '../wallets/check-answer.ts';
import { runWalletContract, type SendWalletRequest, type WalletResult } from '../wallets/run-contract.ts';
import type { PartReport } from './method-reports.ts';
import {
  parseMembers,
  askForValue,
  isRefusedAtOnce,
  missing,
  oversizedText,
  rememberEach,
  textOf,
} from './prepare-value.ts';
import { sendAtPace } from './send-at-pace.ts';
import { reportOperations } from './wallet-reports.ts';
import { createKeyText } from '../../../account/identity/api-keys/key-text.ts';

/** An account service for an outside caller, who has at least a token or a session. */
export type AccountTarget = {
  /** Its address, without /account/v1. */
  readonly baseUrl: string;
  readonly token: string | undefined;
  /** Token of a session, as its cookie holds it. */
  readonly session: string | undefined;
  /** True if it was requested by name; otherwise the service is left out for a token that may not read the account. */
  readonly isRequired: boolean;
  readonly pace: Pace;
};

/**
 * Checks an account service against the contract with the means of an outside caller. Cases that write are left out unless allowed; cases
 * that change the given member and session, or other accounts, always are. Everything that the run creates is revoked.
 *
 * @returns an empty list if the token may not read the account and the service is not required.
 * @throws Error if the service cannot be reached or refuses the session, or refuses the token although it is required.
 */
export async function runAccount(
  { baseUrl, token, session, isRequired, pace }: AccountTarget,
  allowWrites: boolean,
): Promise<readonly PartReport[]> {
  const paced = sendAtPace(baseUrl, pace);
  const { status } = token === undefined ? {} : await get(paced, OPERATIONS.listKeys.path, { token });
  if (status === 401 && isRequired) throw new Error('the account service refuses the token (HTTP 401)');
  if (status !== undefined && status !== 200 && !isRequired && session === undefined) return [];
  const isOperator =
    token !== undefined && (await get(paced, OPERATIONS.listPlans.path, { token })).status === 200;
  const given = session === undefined ? undefined : await readSession(paced, session);
  const { send, keep, takeMade, takeKept } = rememberMade(paced);
  const access: AccountAccess = { token, isOperator, session: given, allowWrites, send, keep };
  const leftBehind: LeftBehind[] = [];
  const value = createAccountValues(access);
  const results: WalletResult[] = [];
  for (const item of Object.values(ACCOUNT_CONTRACT).flatMap(({ cases }) => cases)) {
    const reason = whyLeftOut(item, allowWrites);
    if (reason !== undefined) results.push({ case: item, outcome: 'left-out', reasons: [reason] });
    else {
      const run = { baseUrl, send, value: (name: Parameters<typeof value>[0]) => value(name, item) };
      results.push(...(await runWalletContract(run, [item])));
      leftBehind.push(...(await revokeMade(access, takeMade())));
    }
  }
  leftBehind.push(...(await revokeMade(access, takeKept())));
  return reportOperations(ACCOUNT_CONTRACT, results).map((report) => withLeftBehind(report, leftBehind));
}

const get = (
  send: SendWalletRequest,
  path: string,
  credentials: Partial<Pick<RestCaseRequest, 'token' | 'session'>>,
): Promise<Answer> => send({ method: 'GET', path, token: 'none', headers: {}, ...credentials }, true);

async function readSession(send: SendWalletRequest, token: string): Promise<GivenSession> {
  const { status, text } = await get(send, OPERATIONS.getSession.path, { session: token });
  if (status !== 200) throw new Error(`the account service refuses the session (HTTP ${status})`);
  const { member, account } = parseMembers(text);
  const textIn = (value: unknown, name: string): string => {
    const found: unknown =
      typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : '';
    return typeof found === 'string' ? found : '';
  };
  return { token, role: textIn(member, 'role'), accountId: textIn(account, 'account_id') };
}

/** Returns the reason to leave a case out; undefined if it is sent. */
function whyLeftOut({ operation, request, expect, condition }: RestCase, allowWrites: boolean) {
  if (condition !== undefined) return `it cannot be provoked from outside: ${condition}`;
  if (request.method === 'GET' || expect.kind === 'problem') return undefined;
  const { auth = [], scopes = [] } = OPERATIONS_BY_NAME[operation] ?? {};
  if (auth.join() === 'session') return 'it would change the given member or session';
  if (scopes.some((scope) => scope.startsWith('operator:'))) return 'it would change the accounts of others';
  return allowWrites ? undefined : 'it writes (--allow-writes)';
}

type Access = { readonly auth: readonly string[]; readonly scopes: readonly string[] };

const OPERATIONS_BY_NAME: Readonly<Record<string, Access | undefined>> = OPERATIONS;

/** The paths that revoke what a run has created, by the member of the answer with its id. */
const REVOKED_AT = {
  key_id: OPERATIONS.revokeKey.path,
  token_id: OPERATIONS.revokeToken.path,
  limit_request_id: OPERATIONS.withdrawLimitRequest.path,
  webhook_id: OPERATIONS.deleteWebhook.path,
};

type Made = { readonly path: string; readonly id: string };
type LeftBehind = Made & { readonly reason: string };

/** Collects the ids of everything that was created, by any request, until it is revoked. */
function rememberMade(send: SendWalletRequest) {
  const [made, kept] = [new Map<string, Made>(), new Map<string, Made>()];
  const sendAndKeep: SendWalletRequest = async (request, isRead) => {
    const answer = await send(request, isRead || request.method === 'POST');
    if (answer.status >= 300) return answer;
    if (request.method === 'DELETE') for (const each of [made, kept]) each.delete(request.path);
    if (request.method !== 'POST') return answer;
    const members = parseMembers(answer.text);
    for (const [name, path] of Object.entries(REVOKED_AT)) {
      const id = members[name];
      if (typeof id === 'string') made.set(fillPath(path, id), { path, id });
    }
    return answer;
  };
  return {
    send: sendAndKeep,
    keep: async <T>(work: () => Promise<T>): Promise<T> => {
      const before = new Set(made.keys());
      try {
        return await work();
      } finally {
        for (const [path, each] of made)
          if (!before.has(path)) {
            made.delete(path);
            kept.set(path, each);
          }
      }
    },
    takeMade: () => take(made),
    takeKept: () => take(kept),
  };
}

function take(from: Map<string, Made>): readonly Made[] {
  const all = [...from.values()];
  from.clear();
  return all;
}

/** Revokes what was created. @returns the rest, with the reasons. */
async function revokeMade(access: AccountAccess, made: readonly Made[]): Promise<readonly LeftBehind[]> {
  const left: LeftBehind[] = [];
  for (const each of made) {
    try {
      await revoke(access, each.path, each.id);
    } catch (error) {
      left.push({ ...each, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return left;
}

/** Reports what the run leaves behind at the operation that should have revoked it. */
function withLeftBehind(report: PartReport, left: readonly LeftBehind[]): PartReport {
  const failures = left
    .filter(({ path }) => path === pathOf(report.name))
    .map(({ id, reason }) => `${id}: ${reason}`);
  if (failures.length === 0) return report;
  const item = { kind: 'example', name: 'what the run has made', outcome: 'differed', failures } as const;
  return { ...report, verdict: 'differs', cases: [...report.cases, item] };
}

const pathOf = (name: string): string | undefined =>
  Object.entries(OPERATIONS).find(([each, { method }]) => each === name && method === 'DELETE')?.[1].path;

/** The session given to a run. */
type GivenSession = { readonly token: string; readonly role: string; readonly accountId: string };

/** The access of an outside caller. */
type AccountAccess = {
  readonly token: string | undefined;
  /** True if the token may read the data of operators. */
  readonly isOperator: boolean;
  readonly session: GivenSession | undefined;
  /** True if the run may create API keys, access tokens and requests for higher limits. */
  readonly allowWrites: boolean;
  readonly send: SendWalletRequest;
  /** Keeps what `work` creates for the rest of the run; everything else is revoked after its case. */
  readonly keep: <T>(work: () => Promise<T>) => Promise<T>;
};

/** Returns the value of a name for a case. @throws MissingValue with the reason why the run lacks it. */
type AccountValues = (name: AccountValueName, item: RestCase) => Promise<string>;

/** A valid id that is never assigned. */
const NEVER_MADE = '00000000-0000-4000-8000-000000000000';
const NAME = 'contract run';
/** Tokens of a run also expire by themselves. */
const EXPIRES_IN_SECONDS = 3_600;

/** Creates the values that an outside run can have: the token, the session, and what it creates with them. */
function createAccountValues(access: AccountAccess): AccountValues {
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
    logged_request_id: () => once('logged_request_id', () => findLoggedRequest(access)),
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
    if (name === 'operator_token' && access.isOperator && item.request.method === 'GET')
      return access.token ?? missing('no token is given (--token)');
    if (session !== undefined && name === `${session.role}_session`) return session.token;
    const make = makers[name] ?? (() => missing(`it needs a value that only the operator has: ${name}`));
    // A refused request changes nothing, so that refusals can share a value.
    const isShared = SHARED.has(name) && item.expect.kind === 'problem';
    return await (isShared ? once(name, make) : make());
  };
}

const SHARED: ReadonlySet<AccountValueName> = new Set([
  'fresh_key_id',
  'fresh_token_id',
  'fresh_webhook_id',
  'fresh_delivery_id',
]);

/** The start of planned work. It is never announced, as only an operator may do that. */
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

/** The newest request in the log of the account: one of the run itself, where the server keeps any. */
async function findLoggedRequest(access: AccountAccess): Promise<string> {
  const path = `${OPERATIONS.listRequests.path}?limit=1`;
  const { requests } = await askForValue(access.send, { method: 'GET', path, ...credentials(access) });
  const [newest] = Array.isArray(requests) ? requests : [];
  if (newest === undefined) missing('the log of requests of the account is empty');
  return textOf(Object(newest).request_id, 'request_id');
}

/** An address that cannot resolve, so nothing is sent to it. */
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
  if (!access.allowWrites) missing('it needs data that the run creates (--allow-writes)');
  return await askForValue(access.send, { method: 'POST', path, ...credentials(access), body });
}

/** Revokes or withdraws what the run has created. @throws MissingValue if the server refuses. */
async function revoke(access: AccountAccess, path: string, id: string): Promise<void> {
  await askForValue(access.send, { method: 'DELETE', path: fillPath(path, id), ...credentials(access) });
}

/** The path of an operation with an id in it. */
const fillPath = (path: string, id: string): string => path.replace(/\{\w+\}/, id);
