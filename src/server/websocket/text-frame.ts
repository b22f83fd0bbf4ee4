const FINAL_TEXT = 0x81;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** Returns the single unmasked frame of a server's text message (RFC 6455, section 5.2), for any number of sockets. */
export function textFrame(text: Buffer): Buffer {
  const { length } = text;
  if (length < TWO_BYTES) return Buffer.concat([Buffer.from([FINAL_TEXT, length]), text]);
  if (length < 65_536) {
    const head = Buffer.from([FINAL_TEXT, TWO_BYTES, 0, 0]);
    head.writeUInt16BE(length, 2);
    return Buffer.concat([head, text]);
  }
  const head = Buffer.alloc(10);
  head[0] = FINAL_TEXT;
  head[1] = EIGHT_BYTES;
  head.writeUIntBE(length, 4, 6);
  return Buffer.concat([head, text]);
}
