import { serviceError } from '../../base/service-error.ts';
import { readNodeAddress } from '../../config/node-address.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import { BATCH, type Upstream, type UpstreamRequest } from '../upstream.ts';
import { isRead } from '../pool/attempt.ts';
import type { ExchangePool } from './exchange.ts';
import { FairPool } from './fair-pool.ts';
import { NodeHttpPool } from './node-http-pool.ts';
import { NodePool } from './node-pool.ts';
import { socketOpener } from './open-socket.ts';
import { type CollectedReply, ReplyCollector } from './reply-collector.ts';

/** Deadlines in milliseconds: to connect, and between two parts of a response. */
export type HttpUpstreamOptions = {
  readonly url: string;
  /** False: node:http opens and reads the connections. Default: true. */
  readonly ownClient?: boolean;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly bodyTimeoutMs: number;
};

/**
 * Connects to a ledger node over HTTP/1.1 with kept-alive connections. Sends the bytes unchanged, with header fields of its own
 * only. The reply's status and content type are checked; its content, and the time until it begins, are those of `wrapUpstream`.
 */
export function createHttpUpstream(options: HttpUpstreamOptions): Upstream {
  const pool = new FairPool(openPool(options), options.connections);
  return {
    send: async (request: UpstreamRequest): Promise<UpstreamReply> => {
      const { body, method, signal, accountId } = request;
      signal.throwIfAborted();
      const isUrgent = accountId === undefined || !isRead(request);
      const collector = new ReplyCollector(body, method === BATCH, accountId, isUrgent);
      const forget = signal.onAbort((reason) => pool.cancel(collector, reason));
      try {
        pool.dispatch(collector);
        return toReply(await collector.reply, forget);
      } catch (error) {
        forget();
        throw error;
      }
    },
    close: async () => pool.close(),
  };
}

function openPool({ url, ownClient = true, ...options }: HttpUpstreamOptions): ExchangePool {
  const address = readNodeAddress(url);
  if (address === undefined)
    throw serviceError('internalError', {}, new Error('a node has no valid address'));
  const { path, authorization } = address;
  const origin = new URL(address.origin);
  const headers = {
    Host: origin.host,
    Connection: 'keep-alive',
    'Content-Type': 'application/json',
    Accept: 'application/json',
    ...(authorization === undefined ? {} : { Authorization: authorization }),
  };
  if (!ownClient) return new NodeHttpPool({ ...options, origin, path, headers });
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const requestHead = [`POST ${path} HTTP/1.1`, ...fields, 'Content-Length: '].join('\r\n');
  return new NodePool({ ...options, ...socketOpener(origin), requestHead });
}

/** A stream stays cancellable by the signal until it has closed; a whole reply needs the signal no longer. */
function toReply(reply: CollectedReply, forget: () => void): UpstreamReply {
  if (reply.kind === 'stream') {
    reply.body.once('close', forget);
    return reply;
  }
  forget();
  return { ...reply, isError: false };
}
