import type { CallName } from '../../generated/ledger/params.ts';
import { VERSIONED_CALLS, type VersionedMember } from '../../generated/ledger/versions.ts';
import { orderOf } from '../upstream/nodes/node-version.ts';

/** What a call asks for that not every node knows. */
export type Needs = {
  /** `major.minor` of the first version of nodes that has all of it. */
  readonly since: string;
  /** The members of its params that older nodes ignore; none where it is the method that they do not know. */
  readonly members: readonly VersionedMember[];
};

/** What a call with checked params needs of a node; undefined: nothing that any node lacks. */
export function needsOf(name: CallName, params: unknown): Needs | undefined {
  const versioned = VERSIONED_CALLS[name];
  if (versioned === undefined) return undefined;
  const members = versioned.members.filter((member) => asksFor(member, params));
  const versions = members.map(({ since }) => since);
  if (versioned.since !== undefined) versions.push(versioned.since);
  const since = versions.sort((a, b) => orderOf(b) - orderOf(a))[0];
  return since === undefined ? undefined : { since, members };
}

/** The value of a member in checked params; undefined where it is absent. */
export function memberValue({ index, path }: VersionedMember, params: unknown): unknown {
  return [index, ...path].reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null
        ? (value as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    params,
  );
}

/** Whether the member is there and does not ask for what older nodes do anyway. */
function asksFor(member: VersionedMember, params: unknown): boolean {
  const value = memberValue(member, params);
  if (value === undefined || value === null || value === member.default) return false;
  return member.values?.includes(value) ?? true;
}
