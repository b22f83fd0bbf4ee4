import { isMethodName, METHODS, type MethodName } from '../../../generated/ledger/methods.ts';
import type { Case, Expectation } from '../../../runtime/contract-case.ts';
import { printJson } from '../../../runtime/json.ts';
import { post, RateLimited, type RpcTarget } from './json-rpc.ts';
import { compare, type Envelope, readEnvelope } from './check-reply.ts';
import type { Scenario } from './scenario.ts';
import { RESULT_VALIDATORS } from '../../../generated/contract/ledger/results.ts';

export type CaseResult = {
  readonly case: Case;
  /** The faults of the answer; empty if the case passed. */
  readonly failures: readonly string[];
  /** The answer, if it is a JSON-RPC reply. */
  readonly answer?: Envelope;
  /** Set if the server refused to answer because of its rate limit, so that the case proves nothing. */
  readonly isLimited?: true;
};

const CALLS_AT_ONCE = 8;

/**
 * Sends every case to the target and checks its answer: a result against the method's result schema, an error against code, message and
 * data. Never throws because of an answer.
 *
 * @returns the result of each, in the order of the cases.
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
  if (item.setup !== undefined) return { failures: ['this run has no setup'] };
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
 * Posts a call; once more if the connection broke and the method may be repeated: a server may close an idle connection just when it is
 * used again.
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

/** Returns the expectation of a case, with each `$name` of a result replaced by the scenario's value. */
export async function fillInExpectation(expected: Expectation, scenario: Scenario): Promise<Expectation> {
  if (expected.kind !== 'result' || expected.has === undefined) return expected;
  return { kind: 'result', has: await fillIn(expected.has, scenario) };
}

/** Returns params with each `$name` replaced by the scenario's value. */
export async function fillIn(value: unknown, scenario: Scenario): Promise<unknown> {
  if (typeof value === 'string') return value.startsWith('$') ? await scenario.value(value.slice(1)) : value;
  if (Array.isArray(value)) return await Promise.all(value.map((item) => fillIn(item, scenario)));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    async ([name, member]) => [name, await fillIn(member, scenario)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
}

/** Returns the places where a result, as read by `parseStrictJson`, does not match the result schema of its method. */
export function judgeResult(method: MethodName, result: unknown): readonly string[] {
  const validate = RESULT_VALIDATORS[method];
  if (validate(result)) return [];
  const problems = (validate.errors ?? []).map(
    ({ instancePath, keyword, params }) => `result${instancePath} fails ${keyword} ${JSON.stringify(params)}`,
  );
  return problems.length > 0 ? problems : ['the result does not match its schema'];
}
