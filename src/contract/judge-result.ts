import type { MethodName } from '../../generated/ledger/methods.ts';
import { RESULT_VALIDATORS } from '../../generated/contract/ledger/results.ts';

/** Where a result, as `parseStrictJson` reads it, does not fit the result schema of its method; empty when it does. */
export function judgeResult(method: MethodName, result: unknown): readonly string[] {
  const validate = RESULT_VALIDATORS[method];
  if (validate(result)) return [];
  const problems = (validate.errors ?? []).map(
    ({ instancePath, keyword, params }) => `result${instancePath} fails ${keyword} ${JSON.stringify(params)}`,
  );
  return problems.length > 0 ? problems : ['the result does not fit its schema'];
}
