import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { isMethodName } from '../../../generated/ledger/methods.ts';
import { seenBranches } from '../../../runtime/branches.ts';
import type { MethodContract } from '../../../runtime/contract-case.ts';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { RESULT_DEFINITIONS } from '../../../generated/contract/ledger/result-definitions.ts';
import type { CaseResult } from '../../../src/devkit/contract/runner.ts';

/** Every method of a contract, which must have a result that is not null, and every branch that results can show. */
export function branchesOf(contract: Readonly<Record<string, MethodContract>>): ReadonlySet<string> {
  return new Set([...Object.keys(contract), ...Object.values(contract).flatMap(({ branches }) => branches)]);
}

/** The methods that had a result which is not null, and the branches that results showed: of the cases that passed. */
export function seenIn(results: readonly CaseResult[]): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const {
    case: { method },
    failures,
    answer,
  } of results) {
    if (failures.length > 0 || answer?.kind !== 'result' || !isMethodName(method)) continue;
    const { result } = answer;
    if (result !== null) seen.add(method);
    for (const branch of seenBranches(CONTRACT[method].resultSchema, result, RESULT_DEFINITIONS, method))
      seen.add(branch);
  }
  return seen;
}

/** `sometimes`: a run that takes longer may show it. */
type Entry = { readonly why: string; readonly branches: readonly string[]; readonly sometimes?: boolean };

export type Listed = Pick<Entry, 'why' | 'sometimes'>;

/** Methods and branches that no run is known to show yet, each with its reason. @throws Error for an entry of another form. */
export async function readNotYetSeen(): Promise<ReadonlyMap<string, Listed>> {
  const entries: unknown = parse(await readFile(join(import.meta.dirname, 'not-yet-seen.yaml'), 'utf8'));
  if (!Array.isArray(entries) || !entries.every(isEntry))
    throw new Error('not-yet-seen.yaml: an entry is {why, branches}, or {why, sometimes, branches}');
  return new Map(entries.flatMap(({ branches, ...listed }) => branches.map((id) => [id, listed] as const)));
}

function isEntry(entry: Partial<Entry> | null): entry is Entry {
  const hasReason = typeof entry?.why === 'string' && entry.why !== '';
  return hasReason && Array.isArray(entry.branches) && entry.branches.every((id) => typeof id === 'string');
}

export type Unseen = {
  /** Neither seen nor listed. */
  readonly missing: readonly string[];
  /** Listed although seen. */
  readonly seenAfterAll: readonly string[];
  /** Listed, but no branch of any result. */
  readonly unknown: readonly string[];
};

/** Holds what a run showed against what it had to show. */
export function compareSeen(
  all: ReadonlySet<string>,
  seen: ReadonlySet<string>,
  listed: ReadonlyMap<string, Listed>,
): Unseen {
  return {
    missing: [...all].filter((id) => !seen.has(id) && !listed.has(id)).sort(),
    seenAfterAll: [...listed].flatMap(([id, { sometimes }]) =>
      seen.has(id) && sometimes !== true ? [id] : [],
    ),
    unknown: [...listed.keys()].filter((id) => !all.has(id)),
  };
}
