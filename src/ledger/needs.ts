import type { CallName } from '../../generated/ledger/params.ts';
import { VERSIONED_CALLS, type VersionedMember } from '../../generated/ledger/versions.ts';
import { orderOf } from '../upstream/nodes/node-version.ts';

/** The parts of a call that not every node supports. */
export type Needs = {
  /** `major.minor` of the first node version that supports all of them. */
  readonly since: string;
  /** The members of its params that older nodes ignore; empty if the method itself is unknown to them. */
  readonly members: readonly VersionedMember[];
};

/** Returns what a call with checked params needs of a node; undefined if every node supports it. */
export function needsOf(name: CallName, params: unknown): Needs | undefined {
  const versioned = VERSIONED_CALLS[name];
  if (versioned === undefined) return undefined;
  const members = versioned.members.filter((member) => asksFor(member, params));
  const versions = members.map(({ since }) => since);
  if (versioned.since !== undefined) versions.push(versioned.since);
  const since = versions.sort((a, b) => orderOf(b) - orderOf(a))[0];
  return since === undefined ? undefined : { since, members };
}

/** Returns the value of a member in checked params; undefined if it is absent. */
export function memberValue({ index, path }: VersionedMember, params: unknown): unknown {
  return [index, ...path].reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    params,
  );
}

/** True if the member is present and asks for something other than the default of older nodes. */
function asksFor(member: VersionedMember, params: unknown): boolean {
  const value = memberValue(member, params);
  if (value === undefined || value === null || value === member.default) return false;
  return member.values?.includes(value) ?? true;
}
