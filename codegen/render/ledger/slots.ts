import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Method } from '../../model/method.ts';
import { type ParamPart, paramParts } from '../../model/param-parts.ts';
import { HEADER, literal, memberName } from '../../text.ts';

/** ledger/slots.ts: how an answer states the progress of its node, and how a call requires it. */
export const renderSlots = (model: LedgerModel): Files => ({
  'ledger/slots.ts': `${HEADER}import type { MethodName } from './methods.ts';

export type SlotFacts = {
  /** Where the answer says how far its node is: the slot of its context, itself a slot or a block height, or members of both. */
  readonly answers?: 'context' | 'slot' | 'height' | 'epoch';
  /** The way it names the past that it reads: by a slot, its first param, by a signature, or by an address, whose past has any age. */
  readonly history?: 'slot' | 'signature' | 'signatures' | 'address';
  /** Position of the config that has a commitment, the name of that member, and what counts without it. */
  readonly commitment?: { readonly index: number; readonly member: string; readonly default: string };
  /** Position of the config that takes minContextSlot, and the first version that knows it, if not all do. */
  readonly minContextSlot?: { readonly index: number; readonly since?: string };
};

// biome-ignore format: one row per method
export const SLOT_FACTS: { readonly [M in MethodName]: SlotFacts } = {
${model.methods.map((method) => `${memberName(method.name)}: ${literal(factsOf(method, model))},\n`).join('')}};
`,
});

const COMMITMENT_MEMBERS: ReadonlySet<string> = new Set(['commitment', 'preflightCommitment']);

const factsOf = (method: Method, model: LedgerModel) => {
  const members = paramParts(method, model).filter(({ hops }) => hops.length === 1);
  const commitment = first(members, (part) => COMMITMENT_MEMBERS.has(memberOf(part)));
  const minimum = first(members, (part) => memberOf(part) === 'minContextSlot');
  const since = minimum?.schema['x-since'];
  return {
    ...(method.answers !== undefined && { answers: method.answers }),
    ...(method.history !== undefined && { history: method.history }),
    ...(commitment !== undefined && {
      commitment: {
        index: commitment.index,
        member: memberOf(commitment),
        default: String(commitment.schema.default ?? 'finalized'),
      },
    }),
    ...(minimum !== undefined && {
      minContextSlot: { index: minimum.index, ...(typeof since === 'string' && { since }) },
    }),
  };
};

const memberOf = ({ hops }: ParamPart): string => String(hops[0]?.step);

/** A config at its own position comes before one that is an alternative to another param. */
const first = (parts: readonly ParamPart[], fits: (part: ParamPart) => boolean): ParamPart | undefined => {
  const fitting = parts.filter(fits);
  return fitting.find(({ inUnion }) => !inUnion) ?? fitting[0];
};
