import { textTable } from './text-table.ts';

type Row = Readonly<Record<string, string | null>>;

type ListedKey = Row & {
  readonly origins?: readonly string[];
  readonly cidrs?: readonly string[];
};

type RotatedKey = Row & { readonly replaces: Row };

/** The texts of the results of requests about API keys. */
export const KEY_TEXTS: Readonly<Record<string, (result: never) => string>> = {
  'keys.create': ({ id, key, name, account, plan }: Row) =>
    `Created API key ${id} (${name}, account ${account}, plan ${plan}). Copy it now; it is not shown again:\n\n  ${key}\n\n`,
  'keys.list': ({ keys }: { readonly keys: readonly ListedKey[] }) =>
    keys.length === 0 ? 'There are no API keys.\n' : keyTable(keys),
  'keys.rotate': ({ id, key, name, replaces }: RotatedKey) =>
    `Created API key ${id} (${name}) in place of ${replaces.id}, which is valid until ${replaces.valid_until}. Copy it now; it is not shown again:\n\n  ${key}\n\n`,
  'keys.revoke': ({ id, revoked_at: revokedAt }: Row) => `API key ${id} was revoked at ${revokedAt}.\n`,
};

const HEAD = ['ID', 'PREFIX', 'ACCOUNT', 'PLAN', 'NAME', 'CREATED', 'STATE'] as const;

/** The column ALLOWED FROM is there where a key is limited to origins or networks. */
function keyTable(keys: readonly ListedKey[]): string {
  const limits = keys.map(({ origins = [], cidrs = [] }) => [...origins, ...cidrs].join(' '));
  const hasLimits = limits.some((limit) => limit !== '');
  const rows = keys.map((key, index) => [...cells(key), ...(hasLimits ? [limits[index] ?? ''] : [])]);
  return textTable([...HEAD, ...(hasLimits ? ['ALLOWED FROM'] : [])], rows);
}

function cells(key: Row): readonly string[] {
  const { id, prefix, account, plan, name, created_at: createdAt } = key;
  return [id, prefix, account, plan, name, createdAt, describeState(key)].map(String);
}

/** The state of a key or token with its instant: `valid until …`, `revoked since …`. */
export function describeState({ state, expires_at: expiresAt, revoked_at: revokedAt }: Row): string {
  switch (state) {
    case 'valid':
      return expiresAt === null ? 'valid' : `valid until ${expiresAt}`;
    case 'revoked':
      return `revoked since ${revokedAt}`;
    case 'expired':
      return `expired since ${expiresAt}`;
    default:
      return String(state);
  }
}
