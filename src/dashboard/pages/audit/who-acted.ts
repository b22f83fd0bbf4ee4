import type { AuditRecord } from '../../../../generated/account/types.ts';

/** Emails of members by id. */
export type Names = ReadonlyMap<string, string>;

const SHOWN = 8;

/** Returns who acted: the email of a member, or the name of a token; the beginning of the id of one that is gone. */
export function whoActed(
  { member_id, token_id, token_name }: Pick<AuditRecord, 'member_id' | 'token_id' | 'token_name'>,
  names: Names,
): string {
  if (member_id !== undefined) return names.get(member_id) ?? `member ${member_id.slice(0, SHOWN)}…`;
  if (token_id !== undefined) return token_name ?? `token ${token_id.slice(0, SHOWN)}…`;
  return 'operator';
}
