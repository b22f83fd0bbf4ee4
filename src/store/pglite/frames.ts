const LENGTH_BYTES = 4;
const TERMINATE = 'X'.charCodeAt(0);

/** The bytes received on a connection: the start-up packet, then complete messages, then the rest. */
export type Frames = {
  readonly startup: Uint8Array | undefined;
  /** Complete messages in order, concatenated. */
  readonly messages: Uint8Array;
  readonly rest: Uint8Array;
};

/**
 * Splits the bytes of a PostgreSQL connection (protocol 3.0, "Message Formats") at the ends of messages. The start-up packet is a length
 * and content, any other message has a type byte before its length; the length counts itself. A Terminate message and the bytes after it
 * are dropped.
 */
export function cutFrames(bytes: Uint8Array, started: boolean): Frames {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const startupEnd = started ? 0 : messageEnd(view, 0);
  if (startupEnd === undefined) return { startup: undefined, messages: bytes.subarray(0, 0), rest: bytes };
  let end = startupEnd;
  for (;;) {
    if (bytes[end] === TERMINATE) break;
    const next = messageEnd(view, end + 1);
    if (next === undefined) break;
    end = next;
  }
  return {
    startup: started ? undefined : bytes.subarray(0, startupEnd),
    messages: bytes.subarray(startupEnd, end),
    rest: bytes.subarray(end),
  };
}

function messageEnd(view: DataView, lengthAt: number): number | undefined {
  if (view.byteLength < lengthAt + LENGTH_BYTES) return undefined;
  const end = lengthAt + view.getInt32(lengthAt);
  return end <= view.byteLength ? end : undefined;
}
