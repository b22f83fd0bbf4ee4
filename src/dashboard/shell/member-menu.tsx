import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { account } from '../calls/account-client.ts';
import { leaveSession } from '../calls/query-client.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';
import { useSession } from '../session/session.tsx';
import { chooseTheme, storedTheme, THEMES } from './theme.ts';

/** Who is signed in, the colours, and the way out. */
export function MemberMenu() {
  const { member } = useSession();
  const [theme, setTheme] = useState(storedTheme);
  const [, go] = useLocation();
  const signOut = useMutation({
    mutationFn: () => account.signOut(),
    onSuccess: () => {
      leaveSession();
      go('/');
    },
  });
  return (
    <div className="member-menu">
      <p className="member" title={member.email}>
        <strong>{member.name}</strong>
        <span>{member.role}</span>
      </p>
      <label className="theme-switch">
        Theme
        <select
          value={theme}
          onChange={({ currentTarget: { value } }) => {
            const chosen = THEMES.find((each) => each === value) ?? 'system';
            chooseTheme(chosen);
            setTheme(chosen);
          }}
        >
          {THEMES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <ErrorNotice error={signOut.error} />
      <Button type="button" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
      </Button>
    </div>
  );
}
