import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { parseJson } from '../../core/rpc/json.ts';
import type { NodeVersions } from '../nodes/network/ledger-nodes.ts';
import { isPassedOver } from '../nodes/pool/attempt.ts';
import type { UpstreamReply } from '../../core/rpc/upstream-reply.ts';
import type { NodeRequirements } from '../nodes/upstream.ts';
import { readWhole } from '../../core/rpc/read-whole.ts';
import type { MemoryLease } from '../../core/rpc/reply-memory.ts';
import type { CallName } from '../../../generated/ledger/params.ts';
import { VERSIONED_CALLS, type VersionedMember } from '../../../generated/ledger/versions.ts';
import { orderOf } from '../nodes/network/node-version.ts';

type Answer = { readonly result?: { readonly context?: { readonly slot?: unknown } | null } | null };

export type VersionedOptions = {
  readonly nodes: NodeVersions;
  /** Sends the call to a node that has what it needs, or to any. */
  readonly send: (needs?: NodeRequirements) => Promise<UpstreamReply>;
  readonly params: unknown;
  readonly hold: MemoryLease;
  /** Called for each member that is sent to a node that may not support it. */
  readonly onUnordered: (member: string) => void;
};

/**
 * Serves a call that needs something that not every node supports. It goes to a node that supports it, or that may; if there is
 * none, the gateway does the missing part, if it can do it exactly.
 *
 * @throws ServiceError `nodeTooOld`, or the upstream's errors.
 */
export async function serveVersioned(needs: Needs, options: VersionedOptions): Promise<UpstreamReply> {
  const { nodes, send, onUnordered } = options;
  const { since, members } = needs;
  const instead = fallbackOf(needs, options);
  if (nodes.support(since) !== 'some') await nodes.settled();
  if (nodes.support(since) === 'none') {
    if (instead === undefined) throw tooOld(needs, nodes);
    return await instead();
  }
  const onUnknown = (): void => {
    for (const { name } of members) onUnordered(name);
  };
  try {
    return await send({ since, onUnknown });
  } catch (error) {
    if (instead === undefined || !isPassedOver(error)) throw error;
    return await instead();
  }
}

/** Returns an error that names the members of params that older nodes would ignore. */
export function tooOld({ since, members }: Needs, nodes: Pick<NodeVersions, 'versions'>): ServiceError {
  const [member] = members;
  const versions = nodes.versions().join(', ');
  return serviceError('nodeTooOld', { member: member?.name ?? '', needed: since, versions });
}

/** Returns how older nodes can serve the call; undefined if they cannot. They reject an unknown method themselves. */
function fallbackOf(
  { members }: Needs,
  { send, params, hold }: VersionedOptions,
): (() => Promise<UpstreamReply>) | undefined {
  if (members.some(({ fallback }) => fallback !== 'context')) return undefined;
  const minimums = members.map((member) => BigInt(String(memberValue(member, params))));
  return async () => {
    const reply = await send();
    return minimums.length === 0 ? reply : await requireMinSlots(minimums, reply, hold);
  };
}

/**
 * Returns the reply, if the slot in its context has reached every minimum; an error, or the empty reply to a notification, is
 * returned as it is.
 *
 * @throws ServiceError `minContextSlotNotReached`; `upstreamBroken` if there is no slot.
 */
async function requireMinSlots(
  minimums: readonly bigint[],
  reply: UpstreamReply,
  hold: MemoryLease,
): Promise<UpstreamReply> {
  if (reply.kind === 'whole' && (reply.isError || reply.body.length === 0)) return reply;
  const body = await readWhole(reply, hold);
  const slot = contextSlotOf(body);
  if (slot === undefined) throw serviceError('upstreamBroken', {}, new Error('the answer has no context'));
  if (minimums.some((minimum) => slot < minimum))
    throw serviceError('minContextSlotNotReached', { contextSlot: slot });
  return { kind: 'whole', body, isError: false, isHeld: true };
}

function contextSlotOf(body: Buffer): bigint | undefined {
  const slot = (parsed(body) as Answer | null)?.result?.context?.slot;
  return typeof slot === 'bigint' || (typeof slot === 'number' && Number.isSafeInteger(slot))
    ? BigInt(slot)
    : undefined;
}

/** Undefined if it is not JSON: an answer that streams has not been checked. */
function parsed(body: Buffer): unknown {
  try {
    return parseJson(body.toString());
  } catch {
    return undefined;
  }
}

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
