import type { MethodName } from '../../generated/ledger/methods.ts';
import { seenBranches } from '../../generated/test/branches.ts';
import { CONTRACT, RESULT_DEFINITIONS } from '../../generated/test/ledger/contract.ts';
import { RESULT_VALIDATORS } from '../../generated/test/ledger/results.js';

export type Judgement = {
  /** Where the result does not fit the method's result schema; empty when it does. */
  readonly problems: readonly string[];
  /** The branches of the schema that a fitting result shows. */
  readonly branches: ReadonlySet<string>;
};

const NONE: ReadonlySet<string> = new Set();

/** Holds a result, as `parseStrictJson` reads it, against the result schema of its method. */
export function judgeResult(method: MethodName, result: unknown): Judgement {
  const validate = RESULT_VALIDATORS[method];
  if (validate(result)) {
    return {
      problems: [],
      branches: seenBranches(CONTRACT[method].resultSchema, result, RESULT_DEFINITIONS, method),
    };
  }
  const problems = (validate.errors ?? []).map(
    ({ instancePath, keyword, params }) => `result${instancePath} fails ${keyword} ${JSON.stringify(params)}`,
  );
  return {
    problems: problems.length > 0 ? problems : ['the result does not fit its schema'],
    branches: NONE,
  };
}
