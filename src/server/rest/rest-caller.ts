import type { SessionHolder } from '../../account/members/sessions.ts';
import type { AuthenticatedHolder } from '../../account/tokens/authenticate-token.ts';

/** Who sent a request that was accepted. */
export type RestCaller =
  | ({ readonly kind: 'token' } & AuthenticatedHolder)
  | { readonly kind: 'session'; readonly accountId: string; readonly session: SessionHolder }
  | { readonly kind: 'anyone' };

/** A caller as the audit log names it. */
export type NamedCaller = {
  readonly accountId: string;
  readonly tokenId?: string;
  readonly memberId?: string;
};
