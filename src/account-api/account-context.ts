import type { Keyring } from '../account/keyring.ts';
import type { AuthenticatedHolder } from '../account/tokens/authenticate-token.ts';
import type { TokenRing } from '../account/tokens/token-ring.ts';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../store/open-store.ts';

/** The parts of the server that the account service acts on. */
export type AccountDeps = {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly tokens: TokenRing;
  readonly clock: Clock;
};

/** The context of an operation: one request. */
export type AccountContext = AccountDeps & {
  readonly caller: AuthenticatedHolder & { readonly requestId: string };
};
