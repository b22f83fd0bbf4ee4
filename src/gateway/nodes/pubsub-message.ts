import { scanMembers } from '../../core/rpc/json.ts';

/** A node's message on its WebSocket. Tokens and results are the received bytes. */
export type PubsubMessage =
  | { readonly kind: 'result'; readonly id: string; readonly result: Buffer }
  | { readonly kind: 'error'; readonly id: string; readonly error: Buffer }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly subscription: string;
      readonly result: Buffer;
    };

/** Parses a message; undefined if it is neither a reply nor a notification. */
export function readPubsubMessage(bytes: Buffer): PubsubMessage | undefined {
  if (!isJson(bytes)) return undefined;
  const members = membersOf(bytes);
  const id = members.get('id')?.toString();
  const [result, error, params] = [members.get('result'), members.get('error'), members.get('params')];
  if (id !== undefined && id !== 'null') {
    if (result !== undefined) return { kind: 'result', id, result };
    return error && { kind: 'error', id, error };
  }
  const method = members.get('method');
  if (params === undefined || method === undefined) return undefined;
  const parsed = membersOf(params);
  const [value, subscription] = [parsed.get('result'), parsed.get('subscription')?.toString()];
  if (value === undefined || subscription === undefined) return undefined;
  return { kind: 'notification', method: nameOf(method), subscription, result: value };
}

/** Returns the text between the quotes: names contain no escapes. */
function nameOf(token: Buffer): string {
  return token.toString('utf8', 1, token.length - 1);
}

/** Returns the members of an object by name, as bytes; none if the bytes are not an object. */
export function membersOf(bytes: Buffer): ReadonlyMap<string, Buffer> {
  const members = scanMembers(bytes) ?? [];
  return new Map(members.map(({ name, start, end }) => [name, bytes.subarray(start, end)]));
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
}
