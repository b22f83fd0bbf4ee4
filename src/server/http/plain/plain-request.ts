import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { PlainHead } from './plain-head.ts';

/** A POST whose body was there with its head: what a handler reads of `IncomingMessage`, without being a stream. */
export class PlainRequest {
  readonly method = 'POST';
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
  readonly body: Buffer;

  constructor({ url, headers }: PlainHead, body: Buffer, socket: Socket) {
    this.url = url;
    this.headers = headers;
    this.socket = socket;
    this.body = body;
  }
}
