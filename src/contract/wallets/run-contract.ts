import type { RestCase, RestCaseRequest } from '../../../runtime/rest-case.ts';
import type { WalletCondition, WalletValueName } from '../../../generated/contract/wallets/contract.ts';
import { type Answer, checkAnswer } from './check-answer.ts';
import { fillRequest, MissingValue, sendRequest, type WalletValues } from './send-case.ts';

/** Sends a request whose values are filled in and reads the answer; `isRead` false: of a success the head alone. */
export type SendWalletRequest = (request: RestCaseRequest, isRead: boolean) => Promise<Answer>;

/** A state of the server, until it is disposed of. With `send` it takes part in how the request is sent. */
export type WalletState = AsyncDisposable & { readonly send?: SendWalletRequest };

/** What a run works on. */
export type WalletRun<
  N extends string = WalletValueName,
  C extends string = WalletCondition,
> = WalletValues<N> & {
  /** Address of the server, without /v1. */
  readonly baseUrl: string;
  /** In the place of a plain fetch. */
  readonly send?: SendWalletRequest;
  /** Brings the server into a state and answers what ends it; undefined: this run cannot. */
  readonly enter?: (condition: C, request: RestCaseRequest) => Promise<WalletState | undefined>;
};

export type WalletResult = {
  readonly case: RestCase;
  readonly outcome: 'held' | 'differed' | 'left-out';
  /** How the answer differs, or why the case was left out. */
  readonly reasons: readonly string[];
  /** What was answered, where anything was. It may hold secrets. */
  readonly answer?: Answer;
  /** What was thrown in the place of an answer. */
  readonly error?: unknown;
};

/**
 * Sends the cases one after the other, because some change what others need, and holds each answer against its case. A case whose
 * value or condition the run cannot have is left out and says so. Never throws for what a server answers.
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
 * Sends a request by fetch. Of a success whose answer nobody needs only the head is read: what a stream has not delivered is not
 * charged.
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

/** What an answer is read whole for; of the others its problem alone matters. */
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
      return { case: item, outcome: 'left-out', reasons: [`the run cannot bring about ${condition}`] };
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

/** A value that is another one each time is the same in the request and in the one ahead of it. */
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
