import type { SubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import { parseJson } from '../../rpc/json.ts';
import { type Member, scanMembers } from '../../rpc/scan-json.ts';

type Slice = { readonly offset: number | bigint; readonly length: number | bigint };
type Config = { readonly encoding?: unknown; readonly dataSlice?: Slice };

/** The path to the account in a result. */
const ACCOUNT_PATHS: Readonly<Partial<Record<SubscriptionName, readonly string[]>>> = {
  accountSubscribe: ['value'],
  programSubscribe: ['value', 'account'],
};

/**
 * Returns a function that slices the account data in a subscription's results, as its config asks and newer nodes do: exact for
 * base-64, in which nodes also show what they cannot parse. Undefined if that is impossible: other encodings do not give enough
 * of the unsliced data.
 */
export function sliceResults(
  name: SubscriptionName,
  params: readonly unknown[],
): ((result: Buffer) => Buffer) | undefined {
  const { encoding, dataSlice } = (params[1] ?? {}) as Config;
  const path = ACCOUNT_PATHS[name];
  const isSliceable = encoding === 'base64' || encoding === 'jsonParsed';
  if (path === undefined || dataSlice === undefined || !isSliceable) return undefined;
  return (result) => rewrite(result, [...path, 'data'], (data) => slicedData(data, dataSlice));
}

/** Returns the text with the value at the end of the path replaced; unchanged if the path does not exist. */
function rewrite(text: Buffer, path: readonly string[], change: (value: Buffer) => Buffer): Buffer {
  const [name, ...rest] = path;
  if (name === undefined) return change(text);
  const member = memberOf(text, name);
  if (member === undefined) return text;
  const { start, end } = member;
  return Buffer.concat([
    text.subarray(0, start),
    rewrite(text.subarray(start, end), rest, change),
    text.subarray(end),
  ]);
}

function memberOf(text: Buffer, name: string): Member | undefined {
  return scanMembers(text)?.findLast((member) => member.name === name);
}

/** Parsed data has no bytes to slice. */
function slicedData(data: Buffer, slice: Slice): Buffer {
  const pair = parseJson(data.toString());
  if (!Array.isArray(pair) || pair[1] !== 'base64' || typeof pair[0] !== 'string') return data;
  const bytes = Buffer.from(pair[0], 'base64');
  const start = clamp(slice.offset, bytes.length);
  const end = clamp(BigInt(start) + BigInt(slice.length), bytes.length);
  return Buffer.from(JSON.stringify([bytes.toString('base64', start, end), 'base64']));
}

function clamp(value: number | bigint, most: number): number {
  return Number(BigInt(value) < BigInt(most) ? value : most);
}
