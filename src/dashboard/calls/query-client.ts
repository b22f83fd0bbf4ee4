import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { RestCallError } from '../../../runtime/rest-call.ts';
import type { Session } from '../../../generated/account/types.ts';
import { account } from './account-client.ts';
import { credentials } from './credentials.ts';
import { isSignedOut } from './failure-code.ts';
import { DASHBOARD_PATH } from './places.ts';

/** Key of the session query; its data is null when no member is signed in. */
export const SESSION_KEY = ['session'] as const;

const RETRIES = 2;

/** The cache of everything that the page has read. A call that fails because the session has ended leads to the sign-in. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveIfSignedOut }),
  mutationCache: new MutationCache({ onError: leaveIfSignedOut }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < RETRIES && isTransient(error),
    },
  },
});

type SessionNews = 'entered' | 'left';

/** The channel to the other tabs of the browser, which share the session. */
const otherTabs = new BroadcastChannel(`keyslot-session ${DASHBOARD_PATH}`);
otherTabs.onmessage = ({ data }: MessageEvent<SessionNews>) => {
  if (data === 'left') showSession(null);
  else
    account.getSession().then(showSession, (error: unknown) => {
      if (isSignedOut(error)) showSession(null);
    });
};

/** Shows the pages of a new or changed session, in the other tabs as well. */
export function enterSession(session: Session): void {
  showSession(session);
  tell('entered');
}

/** Shows the sign-in after the session has ended, in the other tabs as well. */
export function leaveSession(): void {
  showSession(null);
  tell('left');
}

/** Shows a session, and forgets all data of other members or accounts, credentials included. */
function showSession(session: Session | null): void {
  const before = queryClient.getQueryData<Session | null>(SESSION_KEY);
  if (before?.member.member_id !== session?.member.member_id) {
    credentials.forget();
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  }
  queryClient.setQueryData(SESSION_KEY, session);
}

function tell(news: SessionNews): void {
  otherTabs.postMessage(news);
}

function leaveIfSignedOut(error: unknown): void {
  if (isSignedOut(error) && queryClient.getQueryData(SESSION_KEY) !== null) leaveSession();
}

/** True for an error that may be gone at the next attempt, unlike a refusal. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof RestCallError)) return false;
  const { failure } = error;
  return (
    failure.kind === 'network' || failure.kind === 'timeout' || ('status' in failure && failure.status >= 502)
  );
}
