import type { WalletCase, WalletCaseRequest } from '../../generated/test/wallet-case.ts';
import type { WalletCondition } from '../../generated/test/wallets/contract.ts';
import { checkAnswer } from './check-answer.ts';
import { fillRequest, MissingValue, sendRequest, type WalletValues } from './send-case.ts';

/** What a run works on. */
export type WalletRun = WalletValues & {
  /** Address of the server, without /v1. */
  readonly baseUrl: string;
  /** Brings the server into a state and answers what ends it; undefined: this run cannot. */
  readonly enter?: (
    condition: WalletCondition,
    request: WalletCaseRequest,
  ) => Promise<AsyncDisposable | undefined>;
};

export type WalletResult = {
  readonly case: WalletCase;
  readonly outcome: 'held' | 'differed' | 'left-out';
  /** How the answer differs, or why the case was left out. */
  readonly reasons: readonly string[];
};

/**
 * Sends the cases one after the other, because some change what others need, and holds each answer against its case. A case whose
 * value or condition the run cannot have is left out and says so. Never throws for what a server answers.
 */
export async function runWalletContract(
  run: WalletRun,
  cases: readonly WalletCase[],
): Promise<readonly WalletResult[]> {
  const results: WalletResult[] = [];
  for (const item of cases) results.push(await runCase(run, item));
  return results;
}

async function runCase(run: WalletRun, item: WalletCase): Promise<WalletResult> {
  try {
    const [request, before] = await fillBoth(run, item);
    const condition = item.condition as WalletCondition | undefined;
    await using state = condition === undefined ? undefined : await run.enter?.(condition, request);
    if (condition !== undefined && state === undefined)
      return { case: item, outcome: 'left-out', reasons: [`the run cannot bring about ${condition}`] };
    if (before) await (await sendRequest(run.baseUrl, before)).arrayBuffer();
    const response = await sendRequest(run.baseUrl, request);
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    const reasons = await checkAnswer(item, answer);
    return { case: item, outcome: reasons.length === 0 ? 'held' : 'differed', reasons };
  } catch (error) {
    const isMissing = error instanceof MissingValue;
    return { case: item, outcome: isMissing ? 'left-out' : 'differed', reasons: [String(error)] };
  }
}

/** A value that is another one each time is the same in the request and in the one ahead of it. */
async function fillBoth(
  run: WalletRun,
  { request, before }: WalletCase,
): Promise<readonly [WalletCaseRequest, WalletCaseRequest | undefined]> {
  const known = new Map<string, Promise<string | undefined>>();
  const values: WalletValues = {
    value: (name) => {
      const found = known.get(name) ?? run.value(name);
      known.set(name, found);
      return found;
    },
  };
  return [await fillRequest(request, values), before && (await fillRequest(before, values))];
}
