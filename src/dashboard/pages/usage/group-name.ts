/** A sum as the account service gives it. */
type Sum = {
  readonly group: string;
  readonly key_name?: string | undefined;
  readonly token_name?: string | undefined;
};

const HEX_SHOWN = 8;

/** True for groups that are units of time. */
export function isTime(by: string): boolean {
  return by === 'minute' || by === 'hour' || by === 'day' || by === 'day_operation';
}

/** Returns the name of a group: the name of the key or token, the instant in UTC, or the beginning of an id without a name. */
export function groupName({ group, key_name, token_name }: Sum, by: string): string {
  if (by === 'day' || by === 'day_operation') return group.slice(0, 10);
  if (by === 'minute' || by === 'hour') return `${group.slice(0, 10)} ${group.slice(11, 16)}`;
  if (by === 'key' || by === 'token') return key_name ?? token_name ?? `${group.slice(0, HEX_SHOWN)}…`;
  return group;
}
