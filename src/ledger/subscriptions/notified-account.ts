import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../rpc/json.ts';
import { membersOf } from '../../upstream/pubsub-message.ts';

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
