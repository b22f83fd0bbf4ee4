import type { RestCase, RestCaseRequest } from '../../../../runtime/rest-case.ts';
import type { WalletCondition, WalletValueName } from '../../../../generated/contract/wallets/contract.ts';
import { type Answer, checkAnswer } from './check-answer.ts';
import { sessionCookieName } from '../../../server/rest/session-cookie.ts';

/** Sends a request whose values are filled in and reads the answer; `isRead` false: only the head of a success. */
export type SendWalletRequest = (request: RestCaseRequest, isRead: boolean) => Promise<Answer>;

/** A state of the server, until it is disposed of. With `send` it also sends the request itself. */
export type WalletState = AsyncDisposable & { readonly send?: SendWalletRequest };

/** The input of a run. */
export type WalletRun<
  N extends string = WalletValueName,
  C extends string = WalletCondition,
> = WalletValues<N> & {
  /** Address of the server, without /v1. */
  readonly baseUrl: string;
  /** Replaces a plain fetch. */
  readonly send?: SendWalletRequest;
  /** Brings the server into a state and returns what ends it; undefined if this run cannot. */
  readonly enter?: (condition: C, request: RestCaseRequest) => Promise<WalletState | undefined>;
};

export type WalletResult = {
  readonly case: RestCase;
  readonly outcome: 'held' | 'differed' | 'left-out';
  /** The differences of the answer, or the reason why the case was left out. */
  readonly reasons: readonly string[];
  /** The answer, if any. It may contain secrets. */
  readonly answer?: Answer;
  /** The error that was thrown instead of an answer. */
  readonly error?: unknown;
};

/**
 * Sends the cases one after the other, because some change what others need, and checks each answer against its case. A case whose value
 * or condition the run lacks is left out with a reason. Never throws because of an answer.
 */
export async function runWalletContract<N extends string, C extends string>(
  run: WalletRun<N, C>,
  cases: readonly RestCase[],
): Promise<readonly WalletResult[]> {
  const results: WalletResult[] = [];
  for (const item of cases) results.push(await runCase(run, item));
  return results;
}

/**
 * Sends a request by fetch. If the body of a success is not needed, only its head is read: what a stream has not delivered is not charged.
 */
export async function sendByFetch(
  baseUrl: string,
  request: RestCaseRequest,
  isRead: boolean,
): Promise<Answer> {
  const response = await sendRequest(baseUrl, request);
  const { status, headers } = response;
  if (isRead || !response.ok) return { status, headers, text: await response.text() };
  await response.body?.cancel();
  return { status, headers, text: '' };
}

/** The expectations that need the whole answer; for others only a problem matters. */
const READ_ANSWERS: ReadonlySet<string> = new Set(['success', 'problem']);

async function runCase<N extends string, C extends string>(
  run: WalletRun<N, C>,
  item: RestCase,
): Promise<WalletResult> {
  try {
    const [request, before] = await fillBoth(run, item);
    const condition = item.condition as C | undefined;
    await using state = condition === undefined ? undefined : await run.enter?.(condition, request);
    if (condition !== undefined && state === undefined)
      return { case: item, outcome: 'left-out', reasons: [`the run cannot provoke ${condition}`] };
    const usual: SendWalletRequest = run.send ?? ((each, isRead) => sendByFetch(run.baseUrl, each, isRead));
    if (before) await usual(before, true);
    const answer = await (state?.send ?? usual)(request, READ_ANSWERS.has(item.expect.kind));
    const reasons = await checkAnswer(item, answer);
    return { case: item, outcome: reasons.length === 0 ? 'held' : 'differed', reasons, answer };
  } catch (error) {
    if (error instanceof MissingValue) return { case: item, outcome: 'left-out', reasons: [error.message] };
    return { case: item, outcome: 'differed', reasons: [textOf(error)], error };
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

/** Fills the request and the one sent before it with the same values, even those that change at each use. */
async function fillBoth<N extends string>(
  run: WalletValues<N>,
  { request, before }: RestCase,
): Promise<readonly [RestCaseRequest, RestCaseRequest | undefined]> {
  const known = new Map<string, Promise<string | undefined>>();
  const values: WalletValues<N> = {
    value: (name) => {
      const found = known.get(name) ?? run.value(name);
      known.set(name, found);
      return found;
    },
  };
  return [await fillRequest(request, values), before && (await fillRequest(before, values))];
}

/** The values of `$name` that a run has. Undefined for a name that it lacks. */
export type WalletValues<N extends string = WalletValueName> = {
  readonly value: (name: N) => Promise<string | undefined>;
};

/** Thrown when a case needs a value that the run lacks. */
export class MissingValue extends Error {
  override readonly name = 'MissingValue';
}

const DEADLINE_MS = 60_000;

/** Fills the values of the run into a request. @throws MissingValue. */
export async function fillRequest<N extends string>(
  request: RestCaseRequest,
  values: WalletValues<N>,
): Promise<RestCaseRequest> {
  return (await fill(request, values)) as RestCaseRequest;
}

/** Sends a request whose values are filled in. */
export async function sendRequest(baseUrl: string, request: RestCaseRequest): Promise<Response> {
  const { method, path, headers, body, text, bytes } = request;
  const content =
    bytes !== undefined
      ? Buffer.from(bytes, 'hex')
      : (text ?? (body === undefined ? undefined : JSON.stringify(body)));
  return await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...credentialsOf(baseUrl, request), ...headers },
    ...(content === undefined ? {} : { body: content }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
}

/** The header fields with the token and the session of a request. */
export function credentialsOf(
  baseUrl: string,
  { token, session = 'none' }: RestCaseRequest,
): Readonly<Record<string, string>> {
  const cookie = `${sessionCookieName(baseUrl)}=${session}`;
  return {
    ...(token === 'none' ? {} : { Authorization: `Bearer ${token}` }),
    ...(session === 'none' ? {} : { Cookie: cookie }),
  };
}

async function fill<N extends string>(value: unknown, values: WalletValues<N>): Promise<unknown> {
  if (typeof value === 'string') return await fillText(value, values);
  if (Array.isArray(value)) return await Promise.all(value.map((item) => fill(item, values)));
  if (typeof value !== 'object' || value === null) return value;
  if ('$repeat' in value && 'times' in value) return String(value.$repeat).repeat(Number(value.times));
  const members: (readonly [string, unknown])[] = [];
  for (const [name, member] of Object.entries(value)) members.push([name, await fill(member, values)]);
  return Object.fromEntries(members);
}

/** A value is a whole string, or a step of a path. */
async function fillText<N extends string>(text: string, values: WalletValues<N>): Promise<string> {
  const name = /(?:^|\/)\$(\w+)/.exec(text)?.[1];
  if (name === undefined) return text;
  const found = await values.value(name as N);
  if (found === undefined) throw new MissingValue(`the run has no $${name}`);
  return text.replace(`$${name}`, () => found);
}
