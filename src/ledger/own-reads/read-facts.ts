import type { MethodName } from '../../../generated/ledger/methods.ts';
import { SLOT_FACTS, type SlotFacts } from '../../../generated/ledger/slots.ts';
import type { Call } from '../../rpc/call.ts';
import type { Commitment } from '../../rpc/commitment.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import { isNullAnswer, nullsInValue } from './answer-slot.ts';

export type Read = Pick<Call, 'method' | 'params'>;

/** Returns what the specification says of a method; nothing for one that it does not have. */
export function factsOf({ method }: Read): SlotFacts {
  return SLOT_FACTS[method as MethodName] ?? {};
}

/** The commitment that a call reads at; undefined if it reads at none. */
export function commitmentOf({ commitment }: SlotFacts, params: unknown): Commitment | undefined {
  if (commitment === undefined) return undefined;
  const { index, member, default: fallback } = commitment;
  const asked = memberOf(params, index, member) ?? fallback;
  return asked === 'processed' || asked === 'confirmed' ? asked : 'finalized';
}

/** The slot that a call wants its node to have reached; undefined if it names none. */
export function minContextSlotOf({ minContextSlot }: SlotFacts, params: unknown): number | undefined {
  if (minContextSlot === undefined) return undefined;
  const asked = memberOf(params, minContextSlot.index, 'minContextSlot');
  return asked === undefined || asked === null ? undefined : Number(asked);
}

/** True of an answer in which something is missing that a node with more history may have; undefined if nothing can be missing. */
export function missingOf(
  { history }: SlotFacts,
  params: unknown,
): ((answer: Buffer) => boolean) | undefined {
  if (history === 'signature') return isNullAnswer;
  return isSearch(history, params) ? (body) => nullsInValue(body) > 0 : undefined;
}

/** Returns how much is missing in such an answer; undefined where that is all of it. */
export function lacksOf(
  { history }: SlotFacts,
  params: unknown,
): ((reply: UpstreamReply) => number) | undefined {
  if (!isSearch(history, params)) return undefined;
  return (reply) => (reply.kind === 'whole' && !reply.isError ? nullsInValue(reply.body) : Infinity);
}

function isSearch(history: SlotFacts['history'], params: unknown): boolean {
  return history === 'signatures' && memberOf(params, 1, 'searchTransactionHistory') === true;
}

/** The oldest slot that a call reads, 0 if it may be any; undefined if it reads no past. */
export function oldestSlotOf({ history }: SlotFacts, params: unknown): number | undefined {
  if (history === 'address') return 0;
  if (history !== 'slot' || !Array.isArray(params)) return undefined;
  return typeof params[0] === 'number' ? params[0] : undefined;
}

function memberOf(params: unknown, index: number, name: string): unknown {
  const config: unknown = Array.isArray(params) ? params[index] : undefined;
  return typeof config === 'object' && config !== null
    ? (config as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** True for a call that reads one block, which is the same at every node that has it. */
export function isBlock({ history, minContextSlot }: SlotFacts): boolean {
  return history === 'slot' && minContextSlot === undefined;
}

/** True for a call that lists what is past: a node that lacks some of it lists the rest, and does not say so. */
export function isList({ history, minContextSlot }: SlotFacts): boolean {
  return history === 'address' || (history === 'slot' && minContextSlot !== undefined);
}
