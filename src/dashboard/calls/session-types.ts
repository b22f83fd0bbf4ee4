/** Bodies of the session operations. */
export type Role = 'owner' | 'developer' | 'billing' | 'viewer';

/** A network that this server serves. */
export type SessionNetwork = {
  readonly name: string;
  readonly environment: string;
  readonly rpc_path: string;
};

/** A membership of the login. */
export type Membership = { readonly account_id: string; readonly name: string; readonly role: Role };

/** Who is signed in, to which account, and what they may do there. */
export type Session = {
  readonly member: {
    readonly member_id: string;
    readonly email: string;
    readonly name: string;
    readonly role: Role;
  };
  readonly account: { readonly account_id: string; readonly name: string };
  readonly accounts: readonly Membership[];
  readonly scopes: readonly string[];
  readonly expires_at: string;
  readonly fresh_until?: string;
  readonly has_second_factor: boolean;
  readonly backup_codes_left: number;
  readonly networks: readonly SessionNetwork[];
  /** Whether the account runs this server. */
  readonly operates: boolean;
};

/** What signs a login in. */
export type SignInRequest = {
  readonly email: string;
  readonly password: string;
  readonly code?: string;
  readonly account_id?: string;
};

/** The member that a link made. */
export type NewMember = { readonly member_id: string; readonly account_id: string; readonly role: Role };

/** An API key and an access token that work for ten minutes. */
export type SessionCredentials = {
  readonly api_key: string;
  readonly access_token: string;
  readonly expires_at: string;
};
