import type { Case } from '../../../generated/test/contract-case.ts';
import { CONTRACT } from '../../../generated/test/ledger/contract.ts';
import { METHODS, type MethodName } from '../../../generated/ledger/methods.ts';
import type { CaseResult } from '../runner.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

export type CaseReport = {
  readonly kind: Case['kind'];
  readonly name: string;
  readonly outcome: Outcome | 'left-out';
  /** How the answer differs from what was expected. */
  readonly failures: readonly string[];
};

export type MethodReport = {
  readonly method: MethodName;
  /** `unproven`: no case of it was sent, none that showed anything, or some were not answered for the rate of calls. */
  readonly verdict: 'holds' | 'differs' | 'absent' | 'unproven';
  /** Whether a server must have it; the others are chosen by us, and nodes may lack them. */
  readonly isGiven: boolean;
  readonly cases: readonly CaseReport[];
};

/** What a run says of every method. */
export function reportMethods(
  results: readonly CaseResult[],
  isOwnHistory: boolean,
): readonly MethodReport[] {
  const byCase = new Map(results.map((result) => [result.case, result]));
  const names = Object.keys(CONTRACT) as MethodName[];
  return names.map((method) => {
    const cases = CONTRACT[method].cases.map((item): CaseReport => {
      const { kind, name } = item;
      const result = byCase.get(item);
      if (result === undefined) return { kind, name, outcome: 'left-out', failures: [] };
      return { kind, name, outcome: outcomeOf(result, isOwnHistory), failures: result.failures };
    });
    return { method, verdict: verdictOf(cases), isGiven: METHODS[method].origin === 'given', cases };
  });
}

/** How many cases of a report had an outcome. */
export function countCases({ cases }: Pick<MethodReport, 'cases'>, outcome: CaseReport['outcome']): number {
  return cases.filter((item) => item.outcome === outcome).length;
}

/** How many cases of all methods were not answered for the rate of calls. */
export function countLimited(reports: readonly MethodReport[]): number {
  return reports.reduce((sum, report) => sum + countCases(report, 'limited'), 0);
}

/** Whether nothing differs, and no method is absent that a server must have, as far as the answers tell. */
export function isFulfilled(reports: readonly MethodReport[]): boolean {
  return reports.every(({ verdict, isGiven }) => verdict !== 'differs' && !(isGiven && verdict === 'absent'));
}

/** A server without the method refuses its name in another case too: that shows nothing of it. */
function verdictOf(all: readonly CaseReport[]): MethodReport['verdict'] {
  const cases = all.filter(({ kind }) => kind !== 'name-case');
  const count = (outcome: Outcome): number => countCases({ cases }, outcome);
  if (count('absent') > 0 && count('held') + count('differed') === 0) return 'absent';
  if (countCases({ cases: all }, 'differed') + count('absent') > 0) return 'differs';
  return count('held') > 0 && count('limited') === 0 ? 'holds' : 'unproven';
}
