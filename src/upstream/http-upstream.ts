import { Pool } from 'undici';
import { serviceError } from '../service-error.ts';
import { readNodeAddress } from './node-address.ts';
import { ReplyCollector, type CollectedReply } from './reply-collector.ts';
import type { Upstream, UpstreamReply, UpstreamRequest } from './upstream.ts';

/** Deadlines in milliseconds: to connect, to the head of the answer, and between two parts of its body. */
export type HttpUpstreamOptions = {
  readonly url: string;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly responseTimeoutMs: number;
  readonly bodyTimeoutMs: number;
};

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' } as const;

/**
 * A ledger node reached over HTTP with kept-alive connections. Sends the bytes as they are, with headers of its own only.
 * The reply's status and content type are checked, its content is not (see `withReplyCheck`).
 */
export function createHttpUpstream(options: HttpUpstreamOptions): Upstream {
  const address = readNodeAddress(options.url);
  if (address === undefined)
    throw serviceError('internalError', {}, new Error('a node has no valid address'));
  const { origin, path, authorization } = address;
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    connect: { timeout: options.connectTimeoutMs },
    headersTimeout: options.responseTimeoutMs,
    bodyTimeout: options.bodyTimeoutMs,
  });
  const headers = { ...HEADERS, ...(authorization === undefined ? {} : { authorization }) };
  return {
    send: async ({ body, signal, isBatch = false }: UpstreamRequest): Promise<UpstreamReply> => {
      signal.throwIfAborted();
      const collector = new ReplyCollector(options.bodyTimeoutMs, isBatch);
      const forget = signal.onAbort((reason) => collector.abort(reason));
      try {
        pool.dispatch({ path, method: 'POST', headers, body }, collector);
        return toReply(await collector.reply, forget);
      } catch (error) {
        forget();
        throw error;
      }
    },
    close: () => pool.destroy(),
  };
}

/** A stream stays under the signal until it has closed; a whole reply is done with it. */
function toReply(reply: CollectedReply, forget: () => void): UpstreamReply {
  if (reply.kind === 'stream') {
    reply.body.once('close', forget);
    return reply;
  }
  forget();
  return { ...reply, isError: false };
}
