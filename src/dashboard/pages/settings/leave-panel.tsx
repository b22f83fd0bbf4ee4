import { useState } from 'react';
import { useLocation } from 'wouter';
import { account } from '../../calls/account-client.ts';
import { leaveSession } from '../../calls/query-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { LeaveDialog } from '../../session/leave-dialog.tsx';
import { useSession } from '../../session/session.tsx';

/** Ways out: of every session, and of the account. */
export function LeavePanel() {
  const { account: left } = useSession();
  const [shown, setShown] = useState<'sign-out' | 'leave'>();
  const [, go] = useLocation();
  const close = () => setShown(undefined);
  return (
    <section className="panel" aria-labelledby="leave">
      <h2 id="leave">Sign out and leave</h2>
      <div className="setting">
        <p className="muted">End every session of your login, this one included, on all devices.</p>
        <Button type="button" onClick={() => setShown('sign-out')}>
          Sign out everywhere
        </Button>
      </div>
      <div className="setting">
        <p className="muted">Stop being a member of {left.name}. Its last owner cannot leave.</p>
        <Button type="button" kind="danger" onClick={() => setShown('leave')}>
          Leave the account
        </Button>
      </div>
      {shown === 'sign-out' && (
        <ConfirmDialog
          title="Sign out everywhere?"
          description="Every session of your login ends at once, this one last, in other accounts too."
          verb="Sign out everywhere"
          act={async () => {
            await account.endOtherSessions();
            await account.signOut();
          }}
          onDone={() => {
            leaveSession();
            go('/');
          }}
          onClose={close}
        />
      )}
      {shown === 'leave' && <LeaveDialog onClose={close} />}
    </section>
  );
}
