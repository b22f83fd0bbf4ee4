import type { SessionCredentials } from '../../../generated/account/types.ts';

/** Dependencies of the credential keeper. */
export type CredentialsDeps = {
  readonly create: () => Promise<SessionCredentials>;
  readonly nowMs: () => number;
};

/** The credentials of this page: in memory only, created when they are first needed. */
export type CredentialKeeper = {
  /** Returns credentials that are at most nine minutes old. */
  readonly read: () => Promise<SessionCredentials>;
  /** Forgets these credentials, which were refused; newer ones stay. */
  readonly refuse: (refused: SessionCredentials) => void;
  readonly forget: () => void;
};

const RENEW_AFTER_MS = 9 * 60_000;

/** Keeps one pair of credentials and renews it a minute before it expires. Concurrent calls share one request. */
export function keepCredentials({ create, nowMs }: CredentialsDeps): CredentialKeeper {
  let kept: { readonly promise: Promise<SessionCredentials>; readonly since: number } | undefined;
  let known: SessionCredentials | undefined;
  const forget = (): void => {
    kept = undefined;
    known = undefined;
  };
  return {
    forget,
    refuse: (refused) => {
      if (known === refused) forget();
    },
    read: () => {
      if (kept !== undefined && nowMs() - kept.since < RENEW_AFTER_MS) return kept.promise;
      const promise = create();
      const made = { promise, since: nowMs() };
      kept = made;
      promise.then(
        (credentials) => {
          if (kept === made) known = credentials;
        },
        () => {
          if (kept === made) forget();
        },
      );
      return promise;
    },
  };
}

/** Sends a request with the credentials, and once more with new ones if they are refused with 401. */
export function withCredentials(
  keeper: CredentialKeeper,
  send: (credentials: SessionCredentials) => Promise<Response>,
): () => Promise<Response> {
  return async () => {
    const first = await keeper.read();
    const response = await send(first);
    if (response.status !== 401) return response;
    keeper.refuse(first);
    return await send(await keeper.read());
  };
}
