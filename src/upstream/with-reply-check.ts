import { serviceError } from '../service-error.ts';
import { scanMembers, type Member } from '../scan-json.ts';
import type { Upstream, UpstreamReply } from './upstream.ts';

/**
 * Lets no body through that is not a JSON-RPC reply to the call: a whole reply must be one object with either `result`
 * or `error`, and the call's id (null will do on an error). Of a stream the first byte has been checked, no more.
 * Throws `upstreamBroken`.
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
  const members = scanMembers(body);
  const outcomes = (members ?? []).filter(({ name }) => name === 'result' || name === 'error');
  const [outcome] = outcomes;
  const [idMember, ...otherIds] = (members ?? []).filter(({ name }) => name === 'id');
  if (outcome === undefined || outcomes.length > 1 || idMember === undefined || otherIds.length > 0) {
    throw serviceError('upstreamBroken', {}, new Error('the body is no JSON-RPC reply'));
  }
  const isError = outcome.name === 'error';
  const token = tokenOf(body, idMember);
  if (!isSameId(token, id) && !(isError && token === 'null')) {
    throw serviceError('upstreamBroken', {}, new Error('the reply answers another call'));
  }
  return { kind: 'whole', body, isError };
}

function tokenOf(body: Buffer, { start, end }: Member): string {
  return body.toString('utf8', start, end);
}

/** Nodes may escape characters of a string id otherwise than the client did. */
function isSameId(token: string, id: string): boolean {
  if (token === id) return true;
  try {
    return token.startsWith('"') && JSON.parse(token) === JSON.parse(id);
  } catch {
    return false;
  }
}
