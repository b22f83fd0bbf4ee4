import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../../core/rpc/json.ts';
import { membersOf } from '../../nodes/pubsub-message.ts';
import { readNode } from './node-reads.ts';
import { contextSlot } from './read-notice.ts';
import type { ResumedNode } from './resume-points.ts';
import type { SharedSubscription } from './shared-subscription.ts';

type Config = { readonly encoding?: string; readonly dataSlice?: unknown };

const ABSENT = 'null';

/**
 * Sends the state of an account after a loss, if it differs from the last one sent, and the gap before it: states in between
 * are lost.
 */
export async function refillAccount(
  shared: SharedSubscription,
  { node, pointAt }: ResumedNode,
): Promise<void> {
  const [address, config] = shared.params;
  const { encoding, dataSlice } = (config ?? {}) as Config;
  const asked = {
    commitment: shared.commitment,
    ...(encoding !== undefined && { encoding }),
    ...(dataSlice !== undefined && { dataSlice }),
  };
  const { toSlot } = await pointAt(shared.commitment);
  const answer = await readNode(node, 'getAccountInfo', [address, asked]);
  const slot = contextSlot(parseJson(answer.toString()));
  const value = membersOf(answer).get('value');
  if (slot === undefined || value === undefined) throw new Error('the node gave no account');
  const last = lastValue(shared);
  const isAbsent = value.toString() === ABSENT;
  const now = isAbsent ? closedAccount(encoding) : asNotified(value);
  // A state that is older than what the node has is followed by others that it does not notify of any more.
  shared.tellGap({ fromSlot: shared.missingFrom ?? 0, toSlot: Math.max(slot, toSlot) });
  const isUntouched = isAbsent
    ? last === undefined || isClosed(last)
    : last !== undefined && isSameAccount(now, last);
  // A node that is behind will send the later states itself.
  if (!isUntouched && slot >= shared.lastSlot)
    shared.notify(Buffer.from(`{"context":{"slot":${slot}},"value":${now}}`));
  shared.resume(slot);
}

function lastValue({ latest }: SharedSubscription): string | undefined {
  const result = latest.get('');
  return result && membersOf(result).get('value')?.toString();
}

function isClosed(value: string): boolean {
  return (parseJson(value) as { lamports?: unknown }).lamports === 0;
}

/** The notification that nodes send for a closed account. */
function closedAccount(encoding = 'binary'): string {
  const data = encoding === 'binary' ? '""' : `["","${encoding === 'jsonParsed' ? 'base64' : encoding}"]`;
  return `{"lamports":0,"data":${data},"owner":"11111111111111111111111111111111","executable":false,"rentEpoch":18446744073709551615,"space":0}`;
}

/**
 * The members of an account, and of data in jsonParsed, in the order in which nodes send notifications; over HTTP they are in
 * alphabetical order.
 */
const ACCOUNT = ['lamports', 'data', 'owner', 'executable', 'rentEpoch', 'space'];
const PARSED = ['program', 'parsed', 'space'];

/** True if two texts are the same account, in any order of members. */
export function isSameAccount(a: string, b: string): boolean {
  return a === b || isDeepStrictEqual(parseJson(a), parseJson(b));
}

/** Returns the text of an account read over HTTP in the form in which a node sends notifications. */
export function asNotified(account: Buffer): string {
  return inOrder(account, ACCOUNT, (name, value) =>
    name === 'data' && value[0] === 0x7b ? inOrder(value, PARSED, (_, part) => String(part)) : String(value),
  );
}

/** Returns an object's text with the named members first, in that order; other members follow. */
function inOrder(
  object: Buffer,
  names: readonly string[],
  print: (name: string, value: Buffer) => string,
): string {
  const members = membersOf(object);
  const known = names.filter((name) => members.has(name));
  const others = [...members.keys()].filter((name) => !names.includes(name));
  const texts = [...known, ...others].map(
    (name) => `${JSON.stringify(name)}:${print(name, members.get(name) ?? Buffer.alloc(0))}`,
  );
  return `{${texts.join(',')}}`;
}
