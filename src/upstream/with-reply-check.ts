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
  const { idMember, isError } = readReply(body);
  const token = tokenOf(body, idMember);
  if (!isSameId(token, id) && !(isError && token === 'null')) {
    throw serviceError('upstreamBroken', {}, new Error('the reply answers another call'));
  }
  return { kind: 'whole', body, isError };
}

function readReply(body: Buffer): { readonly idMember: Member; readonly isError: boolean } {
  let [idMember, outcome]: (Member | undefined)[] = [];
  let isUnique = true;
  for (const member of scanMembers(body) ?? []) {
    if (member.name === 'id') {
      isUnique &&= idMember === undefined;
      idMember = member;
    } else if (member.name === 'result' || member.name === 'error') {
      isUnique &&= outcome === undefined;
      outcome = member;
    }
  }
  if (!isUnique || idMember === undefined || outcome === undefined) {
    throw serviceError('upstreamBroken', {}, new Error('the body is no JSON-RPC reply'));
  }
  return { idMember, isError: outcome.name === 'error' };
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
