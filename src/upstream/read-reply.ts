import { type Member, scanMembers, type Span } from '../scan-json.ts';

/** What a reply says of itself: where its id lies, and whether it is an error. */
export type ReadReply = { readonly id: Span; readonly isError: boolean };

/** Reads a JSON-RPC reply without parsing its result; undefined unless it has one id and either a `result` or an `error`. */
export function readReply(body: Buffer): ReadReply | undefined {
  return readReplyIn(scanMembers(body) ?? []);
}

/** The same of one reply among others, by its members. */
export function readReplyIn(members: readonly Member[]): ReadReply | undefined {
  let [id, outcome]: (Member | undefined)[] = [];
  for (const member of members) {
    if (member.name === 'id') {
      if (id !== undefined) return undefined;
      id = member;
    } else if (member.name === 'result' || member.name === 'error') {
      if (outcome !== undefined) return undefined;
      outcome = member;
    }
  }
  return id && outcome && { id, isError: outcome.name === 'error' };
}
