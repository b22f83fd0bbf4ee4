import type { SlotFacts } from '../../../../generated/ledger/slots.ts';
import { parseJson, scanMembers } from '../../../core/rpc/json.ts';

/** The slot that the node of an answer had reached. */
export type AnswerSlot = { readonly slot?: number; readonly height?: number };

/** Nodes begin with the result, and a result with its context. */
const HEAD_BYTES = 256;
/** The beginning of an answer of Agave with a context, whose last member is its slot. */
const AGAVE = Buffer.from('{"jsonrpc":"2.0","result":{"context":{');
const AGAVE_SLOT = Buffer.from('"slot":');
const MAX_DIGITS = 15;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const COMMA = 0x2c;
const ZERO = 0x30;
const CONTEXT = /"result"\s*:\s*\{\s*"context"\s*:\s*\{(?:[^{}]*?,)?\s*"slot"\s*:\s*(\d{1,15})[,}\s]/;
const NUMBER = /"result"\s*:\s*(\d{1,15})[,}\s]/;
const NULL = /"result"\s*:\s*null\b/;

const UNKNOWN: AnswerSlot = {};

/** Reads how far the node was from the bytes of its answer; nothing if they do not say. */
export function readAnswerSlot({ answers }: SlotFacts, body: Buffer): AnswerSlot {
  if (answers === 'context') {
    const slot = readAgaveSlot(body);
    if (slot !== undefined) return { slot };
  }
  const head = body.toString('latin1', 0, HEAD_BYTES);
  if (answers === 'slot' || answers === 'height') {
    const value = NUMBER.exec(head)?.[1];
    if (value === undefined) return UNKNOWN;
    return answers === 'slot' ? { slot: Number(value) } : { height: Number(value) };
  }
  if (answers === 'epoch') return readMembers(body);
  const slot = CONTEXT.exec(head)?.[1];
  if (slot !== undefined) return { slot: Number(slot) };
  return answers === 'context' ? readContext(body) : UNKNOWN;
}

/** The slot of a context as Agave prints it; undefined for any other answer. Makes no string: answers come by the hundred. */
function readAgaveSlot(body: Buffer): number | undefined {
  if (!hasAt(body, 0, AGAVE)) return undefined;
  const limit = Math.min(body.length, HEAD_BYTES);
  let end = AGAVE.length;
  while (end < limit && body[end] !== CLOSE) end++;
  let slot = 0;
  let at = end - 1;
  for (let unit = 1; isDigit(body[at]) && end - at <= MAX_DIGITS; at--, unit *= 10)
    slot += ((body[at] ?? ZERO) - ZERO) * unit;
  const from = at + 1 - AGAVE_SLOT.length;
  const isMember = body[from - 1] === OPEN || body[from - 1] === COMMA;
  if (end === limit || at === end - 1 || from < AGAVE.length || !isMember) return undefined;
  return hasAt(body, from, AGAVE_SLOT) ? slot : undefined;
}

function hasAt(body: Buffer, from: number, text: Buffer): boolean {
  for (let at = 0; at < text.length; at++) if (body[from + at] !== text[at]) return false;
  return true;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte < ZERO + 10;
}

/** True if the result is null. */
export function isNullAnswer(body: Buffer): boolean {
  return NULL.test(body.toString('latin1', 0, HEAD_BYTES));
}

/** The number of nulls in the list that is the value. */
export function nullsInValue(body: Buffer): number {
  try {
    const { result } = parseJson(body.toString()) as {
      readonly result?: { readonly value?: unknown } | null;
    };
    return Array.isArray(result?.value) ? result.value.filter((each) => each === null).length : 0;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return 0;
    throw error;
  }
}

/** A client other than Agave may have its members in another order. */
function readContext(body: Buffer): AnswerSlot {
  const context = memberOf(memberOf(body, 'result'), 'context');
  const slot = Number(memberOf(context, 'slot')?.toString());
  return Number.isSafeInteger(slot) ? { slot } : UNKNOWN;
}

function memberOf(bytes: Buffer | undefined, name: string): Buffer | undefined {
  if (bytes === undefined) return undefined;
  const member = scanMembers(bytes)?.find((each) => each.name === name);
  return member && bytes.subarray(member.start, member.end);
}

type EpochInfo = { readonly absoluteSlot?: unknown; readonly blockHeight?: unknown };

function readMembers(body: Buffer): AnswerSlot {
  try {
    const { result } = parseJson(body.toString()) as { readonly result?: EpochInfo | null };
    const [slot, height] = [result?.absoluteSlot, result?.blockHeight];
    return { ...(isCount(slot) && { slot }), ...(isCount(height) && { height }) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return UNKNOWN;
    throw error;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
