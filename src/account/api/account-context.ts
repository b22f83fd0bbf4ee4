import type { Config } from '../../../generated/config.ts';
import type { InstallationKey } from '../sealing/installation-key.ts';
import type { Keyring } from '../identity/api-keys/keyring.ts';
import type { RefusalLog } from '../identity/refusal-log.ts';
import type { MemberMail } from '../email/member-mail.ts';
import type { MeasureCurrent } from '../service-level/remember-months.ts';
import type { MemberDeps, MemberRequest } from '../identity/members/member-deps.ts';
import type { SessionCredentials } from '../identity/members/session-credentials.ts';
import type { SessionHolder } from '../identity/members/sessions.ts';
import type { Scope } from '../identity/tokens/scopes.ts';
import type { TokenRing } from '../identity/tokens/token-ring.ts';
import type { WalletStanding } from '../plans/wallet-standing.ts';
import type { RecordedParams } from '../requests/recorded-params.ts';
import type { Clock } from '../../core/clock.ts';
import type { Store } from '../../store/open-store.ts';
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
  readonly installationKey: () => Promise<InstallationKey>;
  /** Returns the addresses that events of an account may be sent to. */
  readonly allowedFor: (accountId: string) => Promise<AllowedAddresses>;
  readonly ledgers: LedgerStarts;
};

/** The parts of the server that the account service acts on. */
export type AccountDeps = ServiceDeps & {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly tokens: TokenRing;
  readonly members: MemberDeps;
  /** Returns the allowances of an account in the wallet service, on this server. */
  readonly walletStanding: (accountId: string) => Promise<WalletStanding>;
  /** Measures the availability of the wallet service for an account in the current month. */
  readonly measureMonth: MeasureCurrent;
  /** Makes an account invoiced if it pays by volume, was charged enough this month and has a credit limit. */
  readonly payLater: (accountId: string) => Promise<boolean>;
  /** Records refused attempts to sign in to an existing login. */
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly credentials: SessionCredentials;
  /** Undefined if the server sends no email. */
  readonly mail: MemberMail | undefined;
  readonly networks: readonly ServedNetwork[];
  readonly bounds: Pick<Config['accounts'], 'max_keys' | 'max_tokens'>;
  readonly webhooks: WebhookParts;
  /** Returns the address of the topic streams for clients that know the server by this base URL; undefined if it is not known. */
  readonly grpcUrlOf: (baseUrl: string) => string | undefined;
  /** Stores the counts of calls by key that are not stored yet. */
  readonly flushUsage: () => Promise<void>;
  /** Stores the requests of this process that are not stored yet. */
  readonly flushRequests: () => Promise<void>;
  /** The accounts whose params of ledger calls are kept. */
  readonly recordedParams: RecordedParams;
  readonly clock: Clock;
};

/** The sender of a request; for an operation that anyone may call, and for an operator's by a command, an account that does not exist. */
export type AccountCaller = {
  readonly accountId: string;
  /** For a command, which has the authority of the owner of the data directory. No request over HTTP has it. */
  readonly isCommand?: true;
  readonly scopes: ReadonlySet<Scope>;
  readonly requestId: string;
  /** For a request with an access token. */
  readonly tokenId?: string;
  /** For a request with a session. */
  readonly memberId?: string;
};

/** The context of an operation that commands call as well, without a server too: it has no session, no email and no client. */
export type OperationContext = Pick<
  AccountDeps,
  | 'store'
  | 'keyring'
  | 'tokens'
  | 'plans'
  | 'limits'
  | 'useLimits'
  | 'planFault'
  | 'payLater'
  | 'bounds'
  | 'webhooks'
  | 'flushRequests'
  | 'recordedParams'
  | 'clock'
> & {
  readonly caller: AccountCaller;
  /** The request as changes of members are recorded. */
  readonly request: MemberRequest;
};

/** The context of an operation: one request. */
export type AccountContext = AccountDeps &
  OperationContext & {
    /** Undefined unless the request has one. */
    readonly session: SessionHolder | undefined;
    /** The base URL of this server, as the client knows it. */
    readonly baseUrl: string;
    /** Sets the token of the client's session; undefined removes it. */
    readonly keepSession: (kept: KeptSession | undefined) => void;
  };

/** The token of a session, which only the header Set-Cookie contains. */
export type KeptSession = { readonly token: string; readonly expiresAt: Date };

/** Returns the session of an operation that accepts only sessions. */
export function sessionOf({ session }: AccountContext): SessionHolder {
  if (session === undefined) throw new Error('the operation accepts requests without a session');
  return session;
}
