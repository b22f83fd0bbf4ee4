import type { RestCase, RestCaseRequest } from '../../../runtime/rest-case.ts';
import { ACCOUNT_CONTRACT } from '../../../generated/contract/account/contract.ts';
import { OPERATIONS } from '../../../generated/account/operations.ts';
import type { Pace } from '../json-rpc.ts';
import type { Answer } from '../wallets/check-answer.ts';
import { runWalletContract, type SendWalletRequest, type WalletResult } from '../wallets/run-contract.ts';
import {
  type AccountAccess,
  createAccountValues,
  fillPath,
  type GivenSession,
  revoke,
} from './account-values.ts';
import type { PartReport } from './method-reports.ts';
import { parseMembers } from './prepare-value.ts';
import { sendAtPace } from './send-at-pace.ts';
import { reportOperations } from './wallet-reports.ts';

/** An account service, as a caller from outside has it; a token or a session at least. */
export type AccountTarget = {
  /** Its address, without /account/v1. */
  readonly baseUrl: string;
  readonly token: string | undefined;
  /** Token of a session, as its cookie holds it. */
  readonly session: string | undefined;
  /** Asked for by name; otherwise a token that may not read the account leaves the service out. */
  readonly isRequired: boolean;
  readonly pace: Pace;
};

/**
 * Holds an account service against the contract, with what a caller from outside can have. What writes is left out unless it is allowed;
 * what changes the member and the session that the run is given, or other accounts, is left out always. What the run makes is revoked.
 *
 * @returns nothing where the token may not read the account and the service is not required.
 * @throws Error when the service cannot be reached or refuses the session, or the token where it is required.
 */
export async function runAccount(
  { baseUrl, token, session, isRequired, pace }: AccountTarget,
  allowWrites: boolean,
): Promise<readonly PartReport[]> {
  const paced = sendAtPace(baseUrl, pace);
  const { status } = token === undefined ? {} : await get(paced, OPERATIONS.listKeys.path, { token });
  if (status === 401 && isRequired) throw new Error('the account service refuses the token (HTTP 401)');
  if (status !== undefined && status !== 200 && !isRequired && session === undefined) return [];
  const given = session === undefined ? undefined : await readSession(paced, session);
  const { send, keep, takeMade, takeKept } = rememberMade(paced);
  const access: AccountAccess = { token, session: given, allowWrites, send, keep };
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

/** Why a case is not sent; undefined if it is. */
function whyLeftOut({ operation, request, expect, condition }: RestCase, allowWrites: boolean) {
  if (condition !== undefined) return `only from inside can it be brought about: ${condition}`;
  if (request.method === 'GET' || expect.kind === 'problem') return undefined;
  const { auth = [], scopes = [] } = OPERATIONS_BY_NAME[operation] ?? {};
  if (auth.join() === 'session') return 'it would change the member or the session that the run is given';
  if (scopes.some((scope) => scope.startsWith('operator:'))) return 'it would change the accounts of others';
  return allowWrites ? undefined : 'it writes (--allow-writes)';
}

type Access = { readonly auth: readonly string[]; readonly scopes: readonly string[] };

const OPERATIONS_BY_NAME: Readonly<Record<string, Access | undefined>> = OPERATIONS;

/** Where a run revokes what it has made, by the member of the answer that names it. */
const REVOKED_AT = {
  key_id: OPERATIONS.revokeKey.path,
  token_id: OPERATIONS.revokeToken.path,
  limit_request_id: OPERATIONS.withdrawLimitRequest.path,
  webhook_id: OPERATIONS.deleteWebhook.path,
};

type Made = { readonly path: string; readonly id: string };
type LeftBehind = Made & { readonly reason: string };

/** Keeps the ids of what the answers say was made, whoever asked for it, until it is revoked. */
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

/** Revokes what was made. @returns what could not be, and why. */
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

/** What the run leaves behind is said where it should have been revoked. */
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
