import { type MemberSink, scanObject, type Span } from '../rpc/scan-json.ts';

/** The envelope of a reply: the position of its id, and whether it is an error. */
export type ReadReply = { readonly id: Span; readonly isError: boolean };

/** Reads a JSON-RPC reply without parsing its result; undefined unless it has one id and either a `result` or an `error`. */
export function readReply(body: Buffer): ReadReply | undefined {
  const reader = new ReplyReader();
  return scanObject(body, reader) ? reader.take() : undefined;
}

/** Reads replies from the members that a scan reports. */
export class ReplyReader implements MemberSink {
  #ids = 0;
  #outcomes = 0;
  #isError = false;
  #idStart = 0;
  #idEnd = 0;

  onMember(name: string, start: number, end: number): void {
    if (name === 'id') {
      this.#ids++;
      this.#idStart = start;
      this.#idEnd = end;
    } else if (name === 'result' || name === 'error') {
      this.#outcomes++;
      this.#isError = name === 'error';
    }
  }

  /** Returns the members reported since the last call as a reply. */
  take(): ReadReply | undefined {
    const isReply = this.#ids === 1 && this.#outcomes === 1;
    this.#ids = 0;
    this.#outcomes = 0;
    return isReply ? { id: { start: this.#idStart, end: this.#idEnd }, isError: this.#isError } : undefined;
  }
}
