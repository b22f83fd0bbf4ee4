import { useMutation, useQuery } from '@tanstack/react-query';
import type { ListedAccount } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { SearchForm } from '../../../parts/search-form.tsx';
import { accountKey } from '../keys.ts';

type AccountFilterProps = {
  /** The account that is chosen; undefined: all. */
  readonly accountId: string | undefined;
  readonly onAccount: (accountId: string | undefined) => void;
};

/** Accounts that are offered when several names contain what was searched for. */
const OFFERED = 20;
const LONGEST_NAME = 63;
const LIST_ACCOUNTS = ['Operators', 'listAccounts'] as const;

/** Chooses an account by its name, or a part of it. */
export function AccountFilter({ accountId, onAccount }: AccountFilterProps) {
  const chosen = useQuery({
    queryKey: accountKey(accountId ?? ''),
    queryFn: ({ signal }) => account.readAccount(accountId ?? '', { signal }),
    enabled: accountId !== undefined,
  });
  const search = useMutation({
    mutationFn: async (name: string) => ({
      name,
      found: (await account.listAccounts({ name, limit: OFFERED })).accounts,
    }),
    onSuccess: ({ name, found }) => {
      const only = onlyAccount(name, found);
      if (only !== undefined) onAccount(only.account_id);
    },
  });
  return (
    <div className="stack">
      <SearchForm
        label="Account name"
        maxLength={LONGEST_NAME}
        onSearch={(name) => (name === '' ? onAccount(undefined) : search.mutate(name))}
      />
      <ErrorNotice error={search.error} operation={LIST_ACCOUNTS} />
      {search.data !== undefined && <Offered {...search.data} onAccount={onAccount} />}
      {accountId !== undefined && (
        <div className="search-form">
          <p role="status">
            Those of <strong>{chosen.data?.name ?? '…'}</strong>
          </p>
          <Button type="button" kind="quiet" onClick={() => onAccount(undefined)}>
            Show all
          </Button>
        </div>
      )}
    </div>
  );
}

type OfferedProps = {
  readonly name: string;
  readonly found: readonly ListedAccount[];
  readonly onAccount: (accountId: string) => void;
};

/** The accounts to choose from; says so where there is none. */
function Offered({ name, found, onAccount }: OfferedProps) {
  if (onlyAccount(name, found) !== undefined) return null;
  if (found.length === 0) return <p role="status">No name contains “{name}”.</p>;
  return (
    <div role="status">
      <p>Several names contain “{name}”:</p>
      {found.map(({ account_id, name: other }) => (
        <Button key={account_id} type="button" kind="quiet" onClick={() => onAccount(account_id)}>
          {other}
        </Button>
      ))}
    </div>
  );
}

/** The account with exactly this name, or the only one whose name contains it. */
function onlyAccount(name: string, found: readonly ListedAccount[]): ListedAccount | undefined {
  return found.find((each) => each.name === name) ?? (found.length === 1 ? found[0] : undefined);
}
