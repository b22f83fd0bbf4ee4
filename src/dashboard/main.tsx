import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode, type ComponentType, lazy, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Router, Route, Switch } from 'wouter';
import { DASHBOARD_PATH } from './calls/places.ts';
import { queryClient } from './calls/query-client.ts';
import { Shell } from './shell/shell.tsx';
import { showTheme, storedTheme } from './shell/theme.ts';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import type { Session } from '../../generated/account/types.ts';
import { openRoutes } from './pages/open-routes.ts';
import { ROUTES } from './pages/routes.ts';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PageFrame } from './parts/page-frame.tsx';
import { EntryPage } from './session/entry-page.tsx';
import { ErrorNotice } from './parts/error-notice.tsx';
import { FreshFactorProvider } from './session/fresh-factor.tsx';
import { SessionContext, useSessionQuery } from './session/session.tsx';

const later = (load: () => Promise<ComponentType>) => lazy(async () => ({ default: await load() }));

const SignInPage = later(async () => (await import('./session/sign-in-page.tsx')).SignInPage);
const SetupPage = later(async () => (await import('./session/setup-page.tsx')).SetupPage);
const InvitationPage = later(async () => (await import('./session/invitation-page.tsx')).InvitationPage);
const ResetPage = later(async () => (await import('./session/reset-page.tsx')).ResetPage);

const PAGES = new Map(ROUTES.map((route) => [route.path, later(route.load)]));

/** All pages: those opened by a link, which need no session; the sign-in; and those of a signed-in member. */
function App() {
  return (
    <Suspense fallback={<div className="blank" />}>
      <Switch>
        <Route path="/setup" component={SetupPage} />
        <Route path="/invitation" component={InvitationPage} />
        <Route path="/reset" component={ResetPage} />
        <Route component={SignedInOrNot} />
      </Switch>
    </Suspense>
  );
}

function SignedInOrNot() {
  const { data: session, error, isPending } = useSessionQuery();
  if (isPending) return <div className="blank" />;
  if (session === null) return <SignInPage />;
  if (session !== undefined) return <MemberPages session={session} />;
  return (
    <EntryPage title="The server does not answer">
      <ErrorNotice error={error} />
    </EntryPage>
  );
}

function MemberPages({ session }: { readonly session: Session }) {
  const routes = openRoutes(ROUTES, session.scopes);
  return (
    <SessionContext value={session}>
      <FreshFactorProvider>
        <Shell routes={routes}>
          <Suspense key={session.member.member_id} fallback={<PageFrame />}>
            <Switch>
              {routes.map((route) => (
                <Route key={route.path} path={route.path} component={PAGES.get(route.path) ?? NotFoundPage} />
              ))}
              <Route component={NotFoundPage} />
            </Switch>
          </Suspense>
        </Shell>
      </FreshFactorProvider>
    </SessionContext>
  );
}

// Dialogs add a style sheet while they are open; the content security policy requires its nonce.
setNonce(document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '');
showTheme(storedTheme());

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no element #root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router base={DASHBOARD_PATH}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
