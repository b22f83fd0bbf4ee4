import type { KeysAction } from './keys-options.ts';

type Row = Readonly<Record<string, string | null>>;
type Result = Row & {
  readonly keys?: readonly Row[];
  readonly replaces?: Row;
};

/** What `keyslot keys …` prints for people. `result` is what it prints as JSON. */
export function describeKeys(action: KeysAction, result: unknown): string {
  const { id, key, name, account, keys = [], replaces, revoked_at: revokedAt } = result as Result;
  switch (action) {
    case 'create':
      return `Key ${id} (${name}, account ${account}). It is shown this once:\n\n  ${key}\n\n`;
    case 'rotate':
      return `Key ${id} (${name}) takes the place of ${replaces?.id}, which works until ${replaces?.valid_until}. It is shown this once:\n\n  ${key}\n\n`;
    case 'revoke':
      return `Key ${id} is revoked since ${revokedAt}.\n`;
    case 'list':
      return keys.length === 0 ? 'There are no keys.\n' : table(keys.map(cells));
  }
}

const HEAD = ['ID', 'BEGINS', 'ACCOUNT', 'NAME', 'CREATED', 'STATE'] as const;

function cells({
  id,
  prefix,
  account,
  name,
  created_at,
  state,
  expires_at,
  revoked_at,
}: Row): readonly string[] {
  const until = expires_at === null ? '' : ` until ${expires_at}`;
  const since =
    { valid: until, revoked: ` since ${revoked_at}`, expired: ` since ${expires_at}` }[state ?? ''] ?? '';
  return [id, prefix, account, name, created_at, `${state}${since}`].map(String);
}

function table(rows: readonly (readonly string[])[]): string {
  const lines = [HEAD, ...rows];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const print = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${lines.map(print).join('\n')}\n`;
}
