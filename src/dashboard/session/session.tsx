import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { Session } from '../../../generated/account/types.ts';
import { account } from '../calls/account-client.ts';
import { isSignedOut } from '../calls/failure-code.ts';
import { SESSION_KEY } from '../calls/query-client.ts';

/** The session of a signed-in member; pages read it with `useSession`. */
export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session. Throws outside of a signed-in page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a signed-in page');
  return session;
}

/** True if the session has all of these scopes. */
export function useScopes(...wanted: readonly string[]): boolean {
  const { scopes } = useSession();
  const held: readonly string[] = scopes;
  return wanted.every((scope) => held.includes(scope));
}

/** Reads the session; its data is null when no member is signed in. */
export function useSessionQuery() {
  return useQuery({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: 60_000 });
}

async function readSession(): Promise<Session | null> {
  try {
    return await account.getSession();
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}
