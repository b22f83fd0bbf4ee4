import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useAnnounce } from '../../shell/announcements.tsx';
import { ChangePasswordDialog } from './change-password-dialog.tsx';
import { SESSIONS_KEY } from './sessions-key.ts';

/** The password of the login, and how to change it. */
export function PasswordPanel() {
  const [isOpen, setOpen] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const announce = useAnnounce();
  const client = useQueryClient();
  return (
    <section className="panel" aria-labelledby="password">
      <h2 id="password">Password</h2>
      <div className="setting">
        <p className="muted">
          {isChanged
            ? 'The password is changed, and every other session of your login has ended.'
            : 'Changing it ends every other session of your login, in other accounts too.'}
        </p>
        <Button type="button" onClick={() => setOpen(true)}>
          Change the password
        </Button>
      </div>
      {isOpen && (
        <ChangePasswordDialog
          onChanged={() => {
            setOpen(false);
            setChanged(true);
            announce('The password is changed.');
            void client.invalidateQueries({ queryKey: SESSIONS_KEY });
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}
