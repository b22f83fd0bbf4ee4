import type { MethodName } from '../../../generated/ledger/methods.ts';
import { RESULT_VALIDATORS } from '../../../generated/contract/ledger/results.ts';
import { parseJson, stringifyJson } from '../../../src/core/rpc/json.ts';

const CONTEXT = { slot: 7n, apiVersion: '4.2.0' };

/** Fails unless the result, as it goes over the wire, is one that the method's specification allows. */
export function assertResult(method: MethodName, result: unknown): void {
  const validate = RESULT_VALIDATORS[method];
  if (validate(parseJson(stringifyJson(result)))) return;
  throw new Error(`${method} must not answer ${stringifyJson(result)}: ${JSON.stringify(validate.errors)}`);
}

/** The same for a value that the method gives with a context. */
export function assertValue(method: MethodName, value: unknown): void {
  assertResult(method, { context: CONTEXT, value });
}
