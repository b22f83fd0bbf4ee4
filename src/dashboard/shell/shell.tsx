import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation, Link, useRoute } from 'wouter';
import { useMutation } from '@tanstack/react-query';
import { type PageRoute, SECTIONS } from '../pages/routes.ts';
import { Icon } from '../parts/icon.tsx';
import { Announcements, useAnnounce } from '../parts/announcements.tsx';
import { Brand } from '../parts/brand.tsx';
import { chooseTheme, storedTheme, THEMES } from './theme.ts';
import './shell.css';
import { account as service, account } from '../calls/account-client.ts';
import { enterSession, leaveSession } from '../calls/query-client.ts';
import { useSession } from '../session/session.tsx';
import { Button } from '../parts/button.tsx';
import { ErrorNotice } from '../parts/error-notice.tsx';

/** Frame of every page of a signed-in member: the navigation at its side or, on a narrow screen, behind a menu button. */
export function Shell({
  routes,
  children,
}: {
  readonly routes: readonly PageRoute[];
  readonly children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  const [path] = useLocation();
  const menuButton = useRef<HTMLButtonElement>(null);
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    setOpen(false);
    window.scrollTo(0, 0);
    document.getElementById('page')?.focus({ preventScroll: true });
  }, [path]);
  useEffect(() => {
    if (!isOpen) return;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      menuButton.current?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOpen]);
  return (
    <Announcements>
      <a className="skip-link" href="#page">
        Skip to the page
      </a>
      <div className="shell">
        <header className="bar">
          <div className="bar-top">
            <Brand />
            <button
              ref={menuButton}
              type="button"
              className="icon-button menu-button"
              aria-expanded={isOpen}
              aria-controls="menu"
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name={isOpen ? 'close' : 'menu'} />
              <span className="only-read">Menu</span>
            </button>
          </div>
          <div id="menu" className="bar-menu" data-open={isOpen}>
            <AccountSwitch />
            <Navigation routes={routes} />
            <MemberMenu />
          </div>
        </header>
        <main id="page" tabIndex={-1} className="page-area">
          {children}
        </main>
      </div>
    </Announcements>
  );
}

/** Links to the pages that the member may open, in sections. */
function Navigation({ routes }: { readonly routes: readonly PageRoute[] }) {
  return (
    <nav aria-label="Pages" className="navigation">
      {SECTIONS.map((section) => {
        const listed = routes.filter(({ navigation }) => navigation?.section === section);
        if (listed.length === 0) return null;
        return (
          <div key={section} className="navigation-section">
            <p id={`section-${section}`}>{section}</p>
            <ul aria-labelledby={`section-${section}`}>
              {listed.map((route) => (
                <li key={route.path}>
                  <Entry route={route} />
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </nav>
  );
}

function Entry({ route: { path, title, navigation } }: { readonly route: PageRoute }) {
  const href = path.replace(/(?<=.)\/:.*$/, '');
  const [isCurrent] = useRoute(href === '/' ? '/' : `${href}/*?`);
  return (
    <Link href={href} aria-current={isCurrent ? 'page' : undefined}>
      {navigation !== undefined && <Icon name={navigation.icon} />}
      {title}
    </Link>
  );
}

/** Shows the account and, for a login with several, switches to another one. Data of the previous account is dropped. */
function AccountSwitch() {
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

/** The signed-in member, the theme, and sign-out. */
function MemberMenu() {
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
