import { isMethodName, METHODS } from '../../generated/ledger/methods.ts';
import type { Case, Expectation } from '../../runtime/contract-case.ts';
import { printJson } from '../../runtime/json.ts';
import { post, RateLimited, type RpcTarget } from './json-rpc.ts';
import { compare, type Envelope, readEnvelope } from './check-reply.ts';
import { judgeResult } from './judge-result.ts';
import type { Scenario } from './scenario.ts';

export type CaseResult = {
  readonly case: Case;
  /** What is wrong with the answer; empty when the case passed. */
  readonly failures: readonly string[];
  /** What was answered, where that is a JSON-RPC reply. */
  readonly answer?: Envelope;
  /** The server refused to answer for the rate of calls, so that nothing is shown. */
  readonly isLimited?: true;
};

const CALLS_AT_ONCE = 8;

/**
 * Sends every case to the target and holds its answer against what the case expects: a result against the method's
 * result schema, an error against code, message and data. Never throws for what a server answers.
 *
 * @returns what came of each, in the order of the cases.
 */
export async function runContract(
  target: RpcTarget,
  cases: readonly Case[],
  scenario: Scenario,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  const queue = cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) {
      results[index] = { case: item, ...(await runCase(target, item, scenario, idOf(index))) };
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
  return results;
}

/** Integers and strings in turn: servers must echo both as they came. */
const idOf = (index: number): number | string => (index % 2 === 0 ? index : `case-${index}`);

async function runCase(
  target: RpcTarget,
  item: Case,
  scenario: Scenario,
  id: number | string,
): Promise<Omit<CaseResult, 'case'>> {
  if (item.setup !== undefined) return { failures: ['the run knows no setup'] };
  try {
    const params = await fillIn(item.params, scenario);
    const { status, text } = await send(target, { jsonrpc: '2.0', id, method: item.method, params });
    const envelope = readEnvelope(status, text, id);
    if (!('kind' in envelope)) return { failures: envelope };
    const expected = await fillInExpectation(item.expect, scenario);
    const failures = [...compare(envelope, expected), ...judged(item.method, envelope)];
    const sent = failures.length > 0 ? [`sent ${printJson(params).slice(0, 300)}`] : [];
    return { failures: [...failures, ...sent], answer: envelope };
  } catch (error) {
    if (error instanceof RateLimited) return { failures: [error.message], isLimited: true };
    return { failures: [String(error)] };
  }
}

/**
 * Posts a call; once more where the connection broke and the method may be repeated: a server may close an idle connection
 * just when it is used again.
 */
async function send(
  target: RpcTarget,
  message: { readonly method: string } & Readonly<Record<string, unknown>>,
) {
  const { method } = message;
  const isSafe = isMethodName(method) && METHODS[method].retry === 'safe';
  return await post(target, message).catch((error: unknown) => {
    if (isSafe && error instanceof TypeError) return post(target, message);
    throw error;
  });
}

function judged(method: string, envelope: Envelope): readonly string[] {
  return envelope.kind === 'result' && isMethodName(method) ? judgeResult(method, envelope.result) : [];
}

/** What a case expects, with each `$name` of a result replaced by the scenario's value of that name. */
export async function fillInExpectation(expected: Expectation, scenario: Scenario): Promise<Expectation> {
  if (expected.kind !== 'result' || expected.has === undefined) return expected;
  return { kind: 'result', has: await fillIn(expected.has, scenario) };
}

/** Params with each `$name` replaced by the scenario's value of that name. */
export async function fillIn(value: unknown, scenario: Scenario): Promise<unknown> {
  if (typeof value === 'string') return value.startsWith('$') ? await scenario.value(value.slice(1)) : value;
  if (Array.isArray(value)) return await Promise.all(value.map((item) => fillIn(item, scenario)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    async ([name, member]) => [name, await fillIn(member, scenario)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}
