import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../rpc/json.ts';
import { membersOf } from '../../upstream/pubsub-message.ts';

/** The members of an account, and of data in jsonParsed, in the order in which nodes notify of them; over HTTP it is the alphabet's. */
const ACCOUNT = ['lamports', 'data', 'owner', 'executable', 'rentEpoch', 'space'];
const PARSED = ['program', 'parsed', 'space'];

/** Whether two texts are of the same account, in whatever order their members stand. */
export function isSameAccount(a: string, b: string): boolean {
  return a === b || isDeepStrictEqual(parseJson(a), parseJson(b));
}

/** The text of an account that was read over HTTP, as a node notifies of it. */
export function asNotified(account: Buffer): string {
  return inOrder(account, ACCOUNT, (name, value) =>
    name === 'data' && value[0] === 0x7b ? inOrder(value, PARSED, (_, part) => String(part)) : String(value),
  );
}

/** An object's text with the members named first, in that order; what is not known of it stands behind. */
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
