import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { RestCallError } from '../../../runtime/rest-call.ts';
import { credentials } from './credentials.ts';
import { isSignedOut } from './failure-code.ts';

/** Key of the query that holds the session; its data is null when nobody is signed in. */
export const SESSION_KEY = ['session'] as const;

const RETRIES = 2;

/** The cache of everything that the page has read. A call that is refused because the session has ended leads to the sign-in. */
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

/** Forgets everything that was read in the session that has ended, credentials included. */
export function leaveSession(): void {
  credentials.forget();
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  queryClient.setQueryData(SESSION_KEY, null);
}

function leaveIfSignedOut(error: unknown): void {
  if (isSignedOut(error)) leaveSession();
}

/** What may be gone at the next attempt; a refusal stays one. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof RestCallError)) return false;
  const { failure } = error;
  return (
    failure.kind === 'network' || failure.kind === 'timeout' || ('status' in failure && failure.status >= 502)
  );
}
