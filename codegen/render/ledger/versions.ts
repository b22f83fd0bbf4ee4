import type { Files } from '../../area.ts';
import { callables, type LedgerModel } from '../../model/ledger.ts';
import { versionedParts } from '../../model/versioned-parts.ts';
import { HEADER, literal, memberName } from '../../text.ts';

/** ledger/versions.ts: the parts that only newer nodes know, by call. */
export const renderVersions = (model: LedgerModel): Files => ({
  'ledger/versions.ts': `${HEADER}import type { CallName } from './params.ts';

/** A member of a param that only newer nodes know; older ones ignore it without a word. */
export type VersionedMember = {
  /** As documents name it: \`config.minContextSlot\`. */
  readonly name: string;
  /** Position of the param. */
  readonly index: number;
  /** Members on the way to it. */
  readonly path: readonly string[];
  /** \`major.minor\` of the first Agave version that knows it. */
  readonly since: string;
  /** A value that asks for what older nodes do anyway. */
  readonly default?: unknown;
  /** The only values that ask for anything, where nodes take any other for the default. */
  readonly values?: readonly unknown[];
  /** The gateway's fallback where the node does not know it: the slot in the answer's context, or slicing base-64 data. */
  readonly fallback?: 'context' | 'slice';
};

export type VersionedCall = {
  /** \`major.minor\` of the first Agave version that has the call itself; absent: all have it. */
  readonly since?: string;
  readonly members: readonly VersionedMember[];
};

/** The calls of which not every node knows all. */
export const VERSIONED_CALLS: Readonly<Partial<Record<CallName, VersionedCall>>> = {
${callables(model)
  .map((call) => ({ call, members: versionedParts(call, model) }))
  .filter(({ call, members }) => call.since !== undefined || members.length > 0)
  .map(
    ({ call, members }) =>
      `${memberName(call.name)}: ${literal({ ...(call.since !== undefined && { since: call.since }), members })},\n`,
  )
  .join('')}};
`,
});
