import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { Webhook } from 'standardwebhooks';

/** A request that a receiver got. */
export type Received = {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atMs: number;
};

/** An event as receivers read it. */
export type ReadEvent = {
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly seq: number; readonly wallet_id?: string; readonly action: string };
};

type Answer = (received: Received, response: ServerResponse) => void;

const TAKEN: Answer = (_received, response) => void response.writeHead(204).end();

/** Starts a receiver of events on loopback, which answers 204 until it is told otherwise. */
export async function startReceiver() {
  const received: Received[] = [];
  let answer: Answer = TAKEN;
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const headers = request.headers as Record<string, string>;
    const one = {
      id: headers['webhook-id'] ?? '',
      headers,
      body: Buffer.concat(parts).toString(),
      atMs: Date.now(),
    };
    received.push(one);
    answer(one, response);
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const stop = (): Promise<void> =>
    new Promise((closed) => {
      server.closeAllConnections();
      server.close(() => closed());
    });
  onTestFinished(stop);
  return {
    port: (server.address() as AddressInfo).port,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answerWith: (next: Answer | undefined): void => {
      answer = next ?? TAKEN;
    },
    stop,
  };
}

/** Returns an event, verified with the official library. @throws Error when no secret has signed it. */
export function verified({ body, headers }: Received, secret: string): ReadEvent {
  return new Webhook(secret).verify(body, headers) as ReadEvent;
}
