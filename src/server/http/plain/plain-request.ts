import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { KeyMemo } from '../../../account/keyring.ts';
import type { PlainHead } from './plain-head.ts';

/** A head with the results of reading it. */
export type RepeatedHead = PlainHead & { readonly keyMemo: KeyMemo };

/** A POST whose body arrived with its head: the members of `IncomingMessage` that handlers read, without being a stream. */
export class PlainRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly body: Buffer;
  /** Shared by the requests of a connection that repeat their head. */
  readonly keyMemo: KeyMemo;

  constructor({ url, headers, keyMemo }: RepeatedHead, body: Buffer, socket: Socket) {
    this.url = url;
    this.headers = headers;
    this.socket = socket;
    this.body = body;
    this.keyMemo = keyMemo;
  }
}
