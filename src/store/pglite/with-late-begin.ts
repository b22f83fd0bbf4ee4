import type { Wire } from './wire-stream.ts';

// Messages of the PostgreSQL protocol 3.0: a type, a length that counts itself, content.

/** Query, with the text `begin`. */
const BEGIN = Buffer.from('Q\0\0\0\x0abegin\0', 'latin1');
/** The answer to it: CommandComplete, and ReadyForQuery in a transaction. */
const COMPLETE = Buffer.from('C\0\0\0\x0aBEGIN\0', 'latin1');
const READY = Buffer.from('Z\0\0\0\x05T', 'latin1');

/**
 * Returns a wire on which a transaction begins with its first statement: `begin` is answered at once and sent with the next message. Each
 * round trip between two threads costs more than most statements do.
 *
 * A connection whose `begin` fails, which happens only with a broken PostgreSQL, is lost.
 */
export function withLateBegin(wire: Wire): Wire {
  return {
    connect(receive, lose) {
      let isHeld = false;
      let isAwaited = false;
      const send = wire.connect((bytes) => {
        const rest = isAwaited ? withoutBegun(bytes) : bytes;
        isAwaited = false;
        if (rest === undefined) lose(new Error('a transaction could not begin'));
        else receive(rest);
      }, lose);
      return (bytes) => {
        if (BEGIN.equals(bytes)) {
          isHeld = true;
          queueMicrotask(() => receive(Buffer.concat([COMPLETE, READY])));
          return;
        }
        isAwaited ||= isHeld;
        send(isHeld ? Buffer.concat([BEGIN, bytes]) : bytes);
        isHeld = false;
      };
    },
  };
}

/** Returns the answers without the two to `begin`; notices and parameter changes before them stay. */
function withoutBegun(bytes: Uint8Array): Buffer | undefined {
  const answers = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const kept: Buffer[] = [];
  let hasBegun = false;
  for (let at = 0; at < answers.length; ) {
    const end = at + 1 + answers.readInt32BE(at + 1);
    const answer = answers.subarray(at, end);
    if (answer.equals(COMPLETE)) hasBegun = true;
    else if (answer.equals(READY))
      return hasBegun ? Buffer.concat([...kept, answers.subarray(end)]) : undefined;
    else if (isAside(answer)) kept.push(answer);
    else return undefined;
    at = end;
  }
  return undefined;
}

/** NoticeResponse or ParameterStatus. */
function isAside([type]: Buffer): boolean {
  return type === 'N'.charCodeAt(0) || type === 'S'.charCodeAt(0);
}
