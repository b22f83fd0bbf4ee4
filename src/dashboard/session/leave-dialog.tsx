import { useLocation } from 'wouter';
import { account } from '../calls/account-client.ts';
import { leaveSession } from '../calls/query-client.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { useFreshCall } from './fresh-factor.tsx';
import { useSession } from './session.tsx';

/** Asks for confirmation to leave the account, which ends the session. */
export function LeaveDialog({ onClose }: { readonly onClose: () => void }) {
  const { account: left } = useSession();
  const withFreshFactor = useFreshCall();
  const [, go] = useLocation();
  return (
    <ConfirmDialog
      title={`Leave ${left.name}?`}
      description="You are signed out, and only an owner can invite you again. The account, its keys and its wallets stay."
      verb="Leave the account"
      act={() => withFreshFactor(() => account.leaveAccount())}
      onDone={() => {
        leaveSession();
        go('/');
      }}
      onClose={onClose}
    />
  );
}
