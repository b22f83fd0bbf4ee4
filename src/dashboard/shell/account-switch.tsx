import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { account as service } from '../calls/account-client.ts';
import { enterSession } from '../calls/query-client.ts';
import { useSession } from '../session/session.tsx';
import { useAnnounce } from './announcements.tsx';

/** Names the account and, for a login with several, changes to another one. Nothing that was read of the first is kept. */
export function AccountSwitch() {
  const { account, accounts } = useSession();
  const [, go] = useLocation();
  const announce = useAnnounce();
  const change = useMutation({
    mutationFn: (account_id: string) => service.switchAccount({ account_id }),
    onSuccess: (session) => {
      enterSession(session);
      announce(`The account is now ${session.account.name}.`);
      go('/');
    },
  });
  if (accounts.length < 2) return <p className="account-name">{account.name}</p>;
  return (
    <label className="account-switch">
      <span className="only-read">Account</span>
      <select
        value={account.account_id}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.value)}
      >
        {accounts.map(({ account_id, name }) => (
          <option key={account_id} value={account_id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
