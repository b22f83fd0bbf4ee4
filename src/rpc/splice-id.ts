import { scanMembers } from './scan-json.ts';

/** Returns the bytes of a call with the id 0 in place of its own, for a client id that nodes reject. */
export function withPlainId(raw: Buffer): Buffer {
  return replaceId(raw, '0') ?? raw;
}

/**
 * Returns a node's reply with the client's raw id token in place of the id. Undefined if the reply does not have exactly one id
 * member.
 */
export function withClientId(reply: Buffer, id: string): Buffer | undefined {
  return replaceId(reply, id);
}

function replaceId(bytes: Buffer, token: string): Buffer | undefined {
  const [span, ...others] = (scanMembers(bytes) ?? []).filter((member) => member.name === 'id');
  if (span === undefined || others.length > 0) return undefined;
  return Buffer.concat([bytes.subarray(0, span.start), Buffer.from(token), bytes.subarray(span.end)]);
}
