import { scanMembers } from './scan-json.ts';

/** The bytes of a call with the id 0 in place of its own: what a node takes when the client's id is one it refuses. */
export function withPlainId(raw: Buffer): Buffer {
  return replaceId(raw, '0') ?? raw;
}

/** A node's reply with the client's raw id token in place of the id. Undefined if the reply has no single id member. */
export function withClientId(reply: Buffer, id: string): Buffer | undefined {
  return replaceId(reply, id);
}

function replaceId(bytes: Buffer, token: string): Buffer | undefined {
  const [span, ...others] = (scanMembers(bytes) ?? []).filter((member) => member.name === 'id');
  if (span === undefined || others.length > 0) return undefined;
  return Buffer.concat([bytes.subarray(0, span.start), Buffer.from(token), bytes.subarray(span.end)]);
}
