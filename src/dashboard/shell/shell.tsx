import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { PageRoute } from '../pages/routes.ts';
import { Icon } from '../parts/icon.tsx';
import { AccountSwitch } from './account-switch.tsx';
import { Announcements } from './announcements.tsx';
import { Brand } from './brand.tsx';
import { MemberMenu } from './member-menu.tsx';
import { Navigation } from './navigation.tsx';
import './shell.css';

/** Frame of every page of a signed-in member: the navigation beside it or, on a narrow screen, behind a menu button. */
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
