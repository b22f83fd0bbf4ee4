import { serviceError } from '../base/service-error.ts';
import { isText } from '../rpc/scan-json.ts';
import { readReply } from './read-reply.ts';
import type { UpstreamReply } from '../rpc/upstream-reply.ts';
import type { Upstream } from './upstream.ts';

/**
 * Rejects bodies that are not a JSON-RPC reply to the call: a whole reply must be one object with either `result` or `error`,
 * and the call's id (null is accepted on an error). Of a stream only the first byte is checked; a batch is checked where it is
 * split. Throws `upstreamBroken`.
 */
export function withReplyCheck(upstream: Upstream): Upstream {
  return {
    ...upstream,
    send: async (request) => {
      const reply = await upstream.send(request);
      return reply.kind === 'stream' || request.id === undefined ? reply : checkReply(reply.body, request.id);
    },
  };
}

function checkReply(body: Buffer, id: string): UpstreamReply {
  const reply = readReply(body);
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
