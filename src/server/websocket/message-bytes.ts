import type { RawData } from 'ws';

/** Returns the bytes of a received message. */
export function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

const NEWLINE = 0x0a;

/** Returns a reply as a message: replies over HTTP end with a newline, messages do not. */
export function trimEnd(body: Buffer): Buffer {
  return body.at(-1) === NEWLINE ? body.subarray(0, -1) : body;
}
