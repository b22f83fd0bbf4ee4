import type { Case } from '../../../../runtime/contract-case.ts';
import type { RestCase } from '../../../../runtime/rest-case.ts';
import { CONTRACT } from '../../../../generated/contract/ledger/contract.ts';
import { METHODS, type MethodName, isMethodName } from '../../../../generated/ledger/methods.ts';
import { SUBSCRIPTION_CONTRACT } from '../../../../generated/contract/ledger/subscription-contract.ts';
import { SUBSCRIPTIONS, type SubscriptionName } from '../../../../generated/ledger/subscriptions.ts';
import { type CaseResult, judgeResult } from '../runner.ts';
import { orderOf, readSaidVersion } from '../../../gateway/nodes/network/node-version.ts';
import { call, type RpcTarget } from '../json-rpc.ts';
import { ERRORS, type ErrorName, errorEntry } from '../../../../generated/errors.ts';

/** The means of a run. */
export type RunMeans = {
  /** True if the run created the data that it asks for. */
  readonly isOwnHistory: boolean;
  readonly versionNeed: VersionNeed;
};

export type CaseReport = {
  readonly kind: Case['kind'] | RestCase['kind'];
  readonly name: string;
  readonly outcome: Outcome | 'left-out';
  /** The differences from the expected answer, or the reason why the case was left out. */
  readonly failures: readonly string[];
};

/** The report on one method, subscription or operation. */
export type PartReport = {
  readonly name: string;
  /** `unproven`: no case was sent, none was conclusive, or some were not answered because of the rate limit. */
  readonly verdict: 'holds' | 'differs' | 'absent' | 'unproven';
  /** True if every server must have it; the rest are Keyslot's own, and nodes may lack them. */
  readonly isGiven: boolean;
  readonly cases: readonly CaseReport[];
};

export type MethodReport = PartReport & { readonly name: MethodName };

/** Reports on every method. */
export function reportMethods(results: readonly CaseResult[], means: RunMeans): readonly MethodReport[] {
  const names = Object.keys(CONTRACT) as MethodName[];
  return names.map((name): MethodReport => {
    const cases = reportCases(CONTRACT[name].cases, results, means);
    return { name, verdict: verdictOf(cases), isGiven: METHODS[name].origin === 'given', cases };
  });
}

/** Reports on every subscription. */
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

/** Counts the cases of a report with an outcome. */
export function countCases({ cases }: Pick<PartReport, 'cases'>, outcome: CaseReport['outcome']): number {
  return cases.filter((item) => item.outcome === outcome).length;
}

/** Counts the cases of all parts that were not answered because of the rate limit. */
export function countLimited(reports: readonly PartReport[]): number {
  return reports.reduce((sum, report) => sum + countCases(report, 'limited'), 0);
}

/** True if nothing differs and nothing mandatory is absent, as far as the answers show. */
export function isFulfilled(reports: readonly PartReport[]): boolean {
  return reports.every(({ verdict, isGiven }) => verdict !== 'differs' && !(isGiven && verdict === 'absent'));
}

/** A server without the method also refuses its name in other letter case, which proves nothing. */
function verdictOf(all: readonly CaseReport[]): PartReport['verdict'] {
  const cases = all.filter(({ kind }) => kind !== 'name-case');
  const count = (outcome: Outcome): number => countCases({ cases }, outcome);
  if (count('absent') > 0 && count('held') + count('differed') === 0) return 'absent';
  if (countCases({ cases: all }, 'differed') + count('absent') > 0) return 'differs';
  return count('held') > 0 && count('limited') === 0 ? 'holds' : 'unproven';
}

/** Judges by the version of a server the cases that not every node can answer. */
type VersionNeed = {
  /** Returns the reason to leave a case out: the server is known to lack the feature. Undefined if it is sent. */
  readonly whyLeftOut: (item: Case) => string | undefined;
  /** True if the server may lack the feature: it reports no version, or one that cannot be ordered. */
  readonly mayBeLacking: (item: Case) => boolean;
};

/** Asks a server for its version. */
export async function askVersionNeed(target: RpcTarget): Promise<VersionNeed> {
  const said = readSaidVersion(await call(target, 'getVersion').catch(() => undefined));
  const order = said?.order;
  return {
    whyLeftOut: ({ since }) =>
      since === undefined || order === undefined || order >= orderOf(since)
        ? undefined
        : `it needs a newer node: ${since} (the server reports ${said?.version})`,
    mayBeLacking: ({ since }) => since !== undefined && order === undefined,
  };
}

/**
 * `unproven`: the answer is valid for the method, but the state of this ledger does not show what the case tests. `limited`: no answer,
 * because the server limits the rate of calls.
 */
type Outcome = 'held' | 'differed' | 'absent' | 'unproven' | 'limited';

const OF_STATE = (Object.keys(ERRORS) as ErrorName[]).filter((name) => errorEntry(name).area === 'ledger');
const STATE_ERRORS: ReadonlySet<string> = new Set(OF_STATE);
const STATE_CODES: ReadonlySet<unknown> = new Set(OF_STATE.map((name) => errorEntry(name).jsonrpc?.code));
/** Codes for a wrong call. */
const REFUSAL_CODES: ReadonlySet<unknown> = new Set([-32600, -32601, -32602]);
/** Methods whose answer depends on the node, such as on its snapshots, and not on the run. */
const UP_TO_NODE: ReadonlySet<string> = new Set<MethodName>(['getHighestSnapshotSlot']);
const METHOD_NOT_FOUND = ERRORS.methodNotFound.jsonrpc.code;

/**
 * Returns the outcome of a case. `isOwnHistory`: the run created the data that it asks for. Without it, an example may meet a ledger
 * that skipped its slot, lost its history, or has what the example expects to be missing.
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
