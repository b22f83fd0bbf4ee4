import type { KeysAction } from './keys-options.ts';
import { textTable } from './text-table.ts';

type Row = Readonly<Record<string, string | null>>;
type ListedKey = Row & {
  readonly origins?: readonly string[];
  readonly cidrs?: readonly string[];
};
type Result = Row & {
  readonly keys?: readonly ListedKey[];
  readonly replaces?: Row;
};

/** What `keyslot keys …` prints for people. `result` is what it prints as JSON. */
export function describeKeys(action: KeysAction, result: unknown): string {
  const { id, key, name, account, plan, keys = [], replaces, revoked_at: revokedAt } = result as Result;
  switch (action) {
    case 'create':
      return `Key ${id} (${name}, account ${account}, plan ${plan}). It is shown this once:\n\n  ${key}\n\n`;
    case 'rotate':
      return `Key ${id} (${name}) takes the place of ${replaces?.id}, which works until ${replaces?.valid_until}. It is shown this once:\n\n  ${key}\n\n`;
    case 'revoke':
      return `Key ${id} is revoked since ${revokedAt}.\n`;
    case 'list':
      return keys.length === 0 ? 'There are no keys.\n' : table(keys);
  }
}

const HEAD = ['ID', 'BEGINS', 'ACCOUNT', 'PLAN', 'NAME', 'CREATED', 'STATE'] as const;

/** The column ONLY FROM is there where a key may not be used from everywhere. */
function table(keys: readonly ListedKey[]): string {
  const places = keys.map(({ origins = [], cidrs = [] }) => [...origins, ...cidrs].join(' '));
  const hasPlaces = places.some((place) => place !== '');
  const rows = keys.map((key, index) => [...cells(key), ...(hasPlaces ? [places[index] ?? ''] : [])]);
  return textTable([...HEAD, ...(hasPlaces ? ['ONLY FROM'] : [])], rows);
}

function cells({
  id,
  prefix,
  account,
  plan,
  name,
  created_at,
  state,
  expires_at,
  revoked_at,
}: Row): readonly string[] {
  const until = expires_at === null ? '' : ` until ${expires_at}`;
  const since =
    { valid: until, revoked: ` since ${revoked_at}`, expired: ` since ${expires_at}` }[state ?? ''] ?? '';
  return [id, prefix, account, plan, name, created_at, `${state}${since}`].map(String);
}
