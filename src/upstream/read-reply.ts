import { type Member, scanMembers } from '../scan-json.ts';

/** What a reply says of itself: the raw token of its id, and whether it is an error. */
export type ReadReply = { readonly id: string; readonly isError: boolean };

/** Reads a JSON-RPC reply without parsing its result; undefined unless it has one id and either a `result` or an `error`. */
export function readReply(body: Buffer): ReadReply | undefined {
  let [id, outcome]: (Member | undefined)[] = [];
  for (const member of scanMembers(body) ?? []) {
    if (member.name === 'id') {
      if (id !== undefined) return undefined;
      id = member;
    } else if (member.name === 'result' || member.name === 'error') {
      if (outcome !== undefined) return undefined;
      outcome = member;
    }
  }
  if (id === undefined || outcome === undefined) return undefined;
  return { id: body.toString('utf8', id.start, id.end), isError: outcome.name === 'error' };
}
