import { ERRORS, type ErrorName, errorEntry } from '../../../generated/errors.ts';
import { isMethodName, type MethodName } from '../../../generated/ledger/methods.ts';
import { judgeResult } from '../judge-result.ts';
import type { CaseResult } from '../runner.ts';

/**
 * `unproven`: the answer is one that the method may give, but the state of this ledger does not show what was looked for.
 * `limited`: there was none, the server limits the rate of calls.
 */
export type Outcome = 'held' | 'differed' | 'absent' | 'unproven' | 'limited';

const OF_STATE = (Object.keys(ERRORS) as ErrorName[]).filter((name) => errorEntry(name).area === 'ledger');
const STATE_ERRORS: ReadonlySet<string> = new Set(OF_STATE);
const STATE_CODES: ReadonlySet<unknown> = new Set(OF_STATE.map((name) => errorEntry(name).jsonrpc?.code));
/** Codes that also say that the call itself is wrong. */
const REFUSAL_CODES: ReadonlySet<unknown> = new Set([-32600, -32601, -32602]);
/** Methods that show what a node keeps, such as snapshots or none, whatever a run has made. */
const UP_TO_NODE: ReadonlySet<string> = new Set<MethodName>(['getHighestSnapshotSlot']);
const METHOD_NOT_FOUND = ERRORS.methodNotFound.jsonrpc.code;

/**
 * What the answer to a case says of the method. `isOwnHistory`: the run made what it asks for; without it, an example may meet
 * a ledger where its slot is skipped, its history is gone, or what it expects to be missing is there.
 */
export function outcomeOf(result: CaseResult, isOwnHistory: boolean): Outcome {
  if (result.failures.length === 0) return 'held';
  if (result.isLimited) return 'limited';
  if (isAbsent(result)) return 'absent';
  const isMade = isOwnHistory && !UP_TO_NODE.has(result.case.method);
  return !isMade && dependsOnState(result) ? 'unproven' : 'differed';
}

function isAbsent({ answer, case: { expect } }: CaseResult): boolean {
  const isExpected = expect.kind === 'error' && expect.code === METHOD_NOT_FOUND;
  return !isExpected && answer?.kind === 'error' && answer.error.code === METHOD_NOT_FOUND;
}

function dependsOnState({ answer, case: { kind, expect, method } }: CaseResult): boolean {
  if (kind !== 'example' || answer === undefined) return false;
  if (answer.kind === 'error')
    return isStateCode(answer.error.code) && (expect.kind === 'result' || isStateError(expect));
  return isStateError(expect) && isMethodName(method) && judgeResult(method, answer.result).length === 0;
}

const isStateCode = (code: unknown): boolean => STATE_CODES.has(code) && !REFUSAL_CODES.has(code);

function isStateError(expect: CaseResult['case']['expect']): boolean {
  return expect.kind === 'error' && STATE_ERRORS.has(expect.error);
}
