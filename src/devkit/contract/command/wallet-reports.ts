import type { RestCase, RestContract } from '../../../../runtime/rest-case.ts';
import { RateLimited } from '../json-rpc.ts';
import type { WalletResult } from '../wallets/run-contract.ts';
import { type CaseReport, countCases, type PartReport } from './method-reports.ts';

/** Reports on every operation of a service. */
export function reportOperations(
  contract: Readonly<Record<string, RestContract>>,
  results: readonly WalletResult[],
): readonly PartReport[] {
  const byCase = new Map(results.map((result) => [result.case, result]));
  return Object.entries(contract).map(([name, operation]) => {
    const cases = operation.cases.map((item) => reportCase(item, byCase.get(item)));
    return { name, verdict: verdictOf(cases), isGiven: true, cases };
  });
}

function reportCase({ kind, name }: RestCase, result: WalletResult | undefined): CaseReport {
  if (result === undefined) return { kind, name, outcome: 'left-out', failures: [] };
  return { kind, name, outcome: outcomeOf(result), failures: result.reasons };
}

/** Refusals caused by the account or the member, not by the operation. */
const OF_ACCOUNT = [
  ...['balance_insufficient', 'credit_limit_reached', 'scope_missing'],
  ...['two_factor_not_enrolled', 'two_factor_locked', 'role_insufficient', 'fresh_factor_required'],
];
/** The status codes of a server without the operation. */
const ABSENT = [404, 405, 501];

function outcomeOf({ outcome, answer, error }: WalletResult): CaseReport['outcome'] {
  if (error instanceof RateLimited) return 'limited';
  const code = codeOf(answer);
  if (answer !== undefined && code === undefined && ABSENT.includes(answer.status)) return 'absent';
  if (outcome !== 'differed') return outcome;
  return code !== undefined && OF_ACCOUNT.includes(code) ? 'unproven' : 'differed';
}

/** Returns the code of a problem; undefined if the answer is not a problem. */
function codeOf(answer: WalletResult['answer']): string | undefined {
  if (!answer?.headers.get('content-type')?.startsWith('application/problem+json')) return undefined;
  return /"code":\s*"(\w+)"/.exec(answer.text)?.[1];
}

/** An operation holds once it has succeeded. A refusal proves little: a server without the operation may refuse requests early. */
function verdictOf(cases: readonly CaseReport[]): PartReport['verdict'] {
  const count = (outcome: CaseReport['outcome']): number => countCases({ cases }, outcome);
  if (count('absent') > 0 && count('held') === 0) return 'absent';
  if (count('differed') + count('absent') > 0) return 'differs';
  const hasSucceeded = cases.some(({ kind, outcome }) => kind === 'example' && outcome === 'held');
  return hasSucceeded && count('limited') === 0 ? 'holds' : 'unproven';
}
