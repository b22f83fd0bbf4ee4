import { serviceError } from '../base/service-error.ts';
import { isText, type MemberSink, scanObject, type Span } from '../rpc/scan-json.ts';
import type { UpstreamReply } from '../rpc/upstream-reply.ts';

/**
 * Returns a reply whose body is a JSON-RPC reply to the call: a whole reply must be one object with either `result` or `error`,
 * and the call's id (null is accepted on an error). Of a stream only the first byte has been checked; a batch, which has no id,
 * is checked where it is split. Throws `upstreamBroken`.
 */
export function checkedReply(reply: UpstreamReply, id: string | undefined): UpstreamReply {
  return reply.kind === 'stream' || id === undefined ? reply : checkReply(reply.body, id);
}

/** The envelope of a reply: the position of its id, and whether it is an error. */
export type ReadReply = { readonly id: Span; readonly isError: boolean };

/**
 * Returns the bytes of a whole reply to the call with this id, which must be one object with either `result` or `error`, and the
 * call's id (null is accepted on an error). Throws `upstreamBroken`.
 */
export function checkReply(body: Buffer, id: string): UpstreamReply {
  const reader = new ReplyReader();
  const reply = scanObject(body, reader) ? reader.take() : undefined;
  if (reply === undefined)
    throw serviceError('upstreamBroken', {}, new Error('the body is no JSON-RPC reply'));
  const { isError } = reply;
  const { start, end } = reply.id;
  if (!isText(body, start, end, id) && !answers(body.toString('utf8', start, end), id, isError)) {
    throw serviceError('upstreamBroken', {}, new Error('the reply answers another call'));
  }
  return { kind: 'whole', body, isError };
}

/** Nodes may escape a string id differently from the client, and an error may have no id. */
function answers(token: string, id: string, isError: boolean): boolean {
  if (token === id || (isError && token === 'null')) return true;
  try {
    return token.startsWith('"') && JSON.parse(token) === JSON.parse(id);
  } catch {
    return false;
  }
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

  /** Returns the members reported since the last call as a reply; undefined unless they are one id and either a `result` or an `error`. */
  take(): ReadReply | undefined {
    const isReply = this.#ids === 1 && this.#outcomes === 1;
    this.#ids = 0;
    this.#outcomes = 0;
    return isReply ? { id: { start: this.#idStart, end: this.#idEnd }, isError: this.#isError } : undefined;
  }
}
