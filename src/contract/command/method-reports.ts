import type { Case } from '../../../runtime/contract-case.ts';
import type { RestCase } from '../../../runtime/rest-case.ts';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { METHODS, type MethodName } from '../../../generated/ledger/methods.ts';
import { SUBSCRIPTION_CONTRACT } from '../../../generated/contract/ledger/subscription-contract.ts';
import { SUBSCRIPTIONS, type SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import type { CaseResult } from '../runner.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { VersionNeed } from './version-need.ts';

/** Of a run as a whole. */
export type RunMeans = {
  /** Whether it made what it asks for. */
  readonly isOwnHistory: boolean;
  readonly versionNeed: VersionNeed;
};

export type CaseReport = {
  readonly kind: Case['kind'] | RestCase['kind'];
  readonly name: string;
  readonly outcome: Outcome | 'left-out';
  /** How the answer differs from what was expected, or why the case was left out. */
  readonly failures: readonly string[];
};

/** What a run says of one method, subscription or operation. */
export type PartReport = {
  readonly name: string;
  /** `unproven`: no case of it was sent, none that showed anything, or some were not answered for the rate of calls. */
  readonly verdict: 'holds' | 'differs' | 'absent' | 'unproven';
  /** Whether a server must have it; the others are chosen by us, and nodes may lack them. */
  readonly isGiven: boolean;
  readonly cases: readonly CaseReport[];
};

export type MethodReport = PartReport & { readonly name: MethodName };

/** What a run says of every method. */
export function reportMethods(results: readonly CaseResult[], means: RunMeans): readonly MethodReport[] {
  const names = Object.keys(CONTRACT) as MethodName[];
  return names.map((name): MethodReport => {
    const cases = reportCases(CONTRACT[name].cases, results, means);
    return { name, verdict: verdictOf(cases), isGiven: METHODS[name].origin === 'given', cases };
  });
}

/** What a run says of every subscription. */
export function reportSubscriptions(results: readonly CaseResult[], means: RunMeans): readonly PartReport[] {
  const names = Object.keys(SUBSCRIPTION_CONTRACT) as SubscriptionName[];
  return names.map((name): PartReport => {
    const cases = reportCases(SUBSCRIPTION_CONTRACT[name], results, means);
    return { name, verdict: verdictOf(cases), isGiven: SUBSCRIPTIONS[name].origin === 'given', cases };
  });
}

function reportCases(
  cases: readonly Case[],
  results: readonly CaseResult[],
  means: RunMeans,
): readonly CaseReport[] {
  const { isOwnHistory, versionNeed } = means;
  const byCase = new Map(results.map((result) => [result.case, result]));
  return cases.map((item): CaseReport => {
    const { kind, name } = item;
    const result = byCase.get(item);
    if (result === undefined) {
      const reason = versionNeed.whyLeftOut(item);
      return { kind, name, outcome: 'left-out', failures: reason === undefined ? [] : [reason] };
    }
    const outcome = outcomeOf(result, isOwnHistory);
    const isUncertain = outcome === 'differed' && versionNeed.mayBeLacking(item);
    return { kind, name, outcome: isUncertain ? 'unproven' : outcome, failures: result.failures };
  });
}

/** How many cases of a report had an outcome. */
export function countCases({ cases }: Pick<PartReport, 'cases'>, outcome: CaseReport['outcome']): number {
  return cases.filter((item) => item.outcome === outcome).length;
}

/** How many cases of all parts were not answered for the rate of calls. */
export function countLimited(reports: readonly PartReport[]): number {
  return reports.reduce((sum, report) => sum + countCases(report, 'limited'), 0);
}

/** Whether nothing differs, and nothing is absent that a server must have, as far as the answers tell. */
export function isFulfilled(reports: readonly PartReport[]): boolean {
  return reports.every(({ verdict, isGiven }) => verdict !== 'differs' && !(isGiven && verdict === 'absent'));
}

/** A server without the method refuses its name in another case too: that shows nothing of it. */
function verdictOf(all: readonly CaseReport[]): PartReport['verdict'] {
  const cases = all.filter(({ kind }) => kind !== 'name-case');
  const count = (outcome: Outcome): number => countCases({ cases }, outcome);
  if (count('absent') > 0 && count('held') + count('differed') === 0) return 'absent';
  if (countCases({ cases: all }, 'differed') + count('absent') > 0) return 'differs';
  return count('held') > 0 && count('limited') === 0 ? 'holds' : 'unproven';
}
