import type { InstallationKey } from '../account/installation-key.ts';
import type { Keyring } from '../account/keyring.ts';
import type { RefusalLog } from '../account/audit/refusal-log.ts';
import type { MemberMail } from '../account/mail/member-mail.ts';
import type { MeasureCurrent } from '../account/service-level/remember-months.ts';
import type { MemberDeps, MemberRequest } from '../account/members/member-deps.ts';
import type { SessionCredentials } from '../account/members/session-credentials.ts';
import type { SessionHolder } from '../account/members/sessions.ts';
import type { Scope } from '../account/tokens/scopes.ts';
import type { TokenRing } from '../account/tokens/token-ring.ts';
import type { WalletStanding } from '../account/wallet-standing.ts';
import type { Clock } from '../base/clock.ts';
import type { Store } from '../store/open-store.ts';
import type { AllowedAddresses } from '../webhooks/allowed-addresses.ts';
import type { LedgerStarts } from '../webhooks/ledger/ledger-starts.ts';
import type { ServiceDeps } from './service-deps.ts';

/** A network that the server serves. */
export type ServedNetwork = {
  readonly name: string;
  readonly environment: string;
  readonly rpcPath: string;
};

/** The dependencies of the operations on webhooks. */
export type WebhookParts = {
  readonly installationKey: InstallationKey;
  /** Where events of an account may be sent. */
  readonly allowedFor: (accountId: string) => Promise<AllowedAddresses>;
  readonly ledgers: LedgerStarts;
};

/** The parts of the server that the account service acts on. */
export type AccountDeps = ServiceDeps & {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly tokens: TokenRing;
  readonly members: MemberDeps;
  /** Returns how an account stands against its limits of the wallet service, on this server. */
  readonly walletStanding: (accountId: string) => Promise<WalletStanding>;
  /** Measures the availability of the wallet service for an account in the current month. */
  readonly measureMonth: MeasureCurrent;
  /** Makes an account invoiced if it pays by volume, was charged enough this month and has a credit limit. */
  readonly payLater: (accountId: string) => Promise<boolean>;
  /** Takes refused attempts to sign in to a login that there is. */
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly credentials: SessionCredentials;
  /** Undefined where the server sends no mail. */
  readonly mail: MemberMail | undefined;
  readonly networks: readonly ServedNetwork[];
  readonly webhooks: WebhookParts;
  /** Returns the address of the topic streams for clients that know the server by this base URL; undefined if it is not known. */
  readonly grpcUrlOf: (baseUrl: string) => string | undefined;
  /** Stores the counts of calls by key that are not stored yet. */
  readonly flushUsage: () => Promise<void>;
  readonly clock: Clock;
};

/** Who sent a request; of an operation that anyone may call, an account that does not exist. */
export type AccountCaller = {
  readonly accountId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly requestId: string;
  /** For a request with an access token. */
  readonly tokenId?: string;
  /** For a request with a session. */
  readonly memberId?: string;
};

/** The context of an operation: one request. */
export type AccountContext = AccountDeps & {
  readonly caller: AccountCaller;
  /** Undefined unless the request has one. */
  readonly session: SessionHolder | undefined;
  /** The request as changes of members are recorded. */
  readonly request: MemberRequest;
  /** The base URL of this server, as the client knows it. */
  readonly baseUrl: string;
  /** Gives the client the token of its session from now on; undefined takes it away. */
  readonly keepSession: (kept: KeptSession | undefined) => void;
};

/** The token of a session, which only the header Set-Cookie shows. */
export type KeptSession = { readonly token: string; readonly expiresAt: Date };

/** Returns the session of an operation that takes nothing else. */
export function sessionOf({ session }: AccountContext): SessionHolder {
  if (session === undefined) throw new Error('the operation takes requests without a session');
  return session;
}
