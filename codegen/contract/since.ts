import type { Json } from '../json.ts';
import type { LedgerModel } from '../model/ledger.ts';
import type { Callable } from '../model/method.ts';
import { type VersionedPart, versionedParts } from '../model/versioned-parts.ts';
import type { Case } from '../../runtime/contract-case.ts';

/** The cases of a call, each with the first node version that can answer it, if not all can. */
export const withVersions = (cases: readonly Case[], call: Callable, model: LedgerModel): readonly Case[] => {
  const parts = versionedParts(call, model);
  return cases.map((item) => {
    const used = parts.filter((part) => isGiven(item.params, part));
    const needed = [call.since, item.since, ...used.map(({ since }) => since)].filter(
      (version) => version !== undefined,
    );
    const since = needed.sort(byVersion).at(-1);
    return since === undefined ? item : { ...item, since };
  });
};

/** True when the params have the part with a value other than the behaviour of older nodes. */
const isGiven = (params: unknown, part: VersionedPart): boolean => {
  const found = [part.index, ...part.path].reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    params,
  );
  if (found === undefined || found === null || found === part.default) return false;
  return part.values?.includes(found as Json) ?? true;
};

const byVersion = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
