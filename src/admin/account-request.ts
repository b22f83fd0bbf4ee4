import { DEVELOPMENT } from '../account/development-name.ts';
import { isPrintable } from '../../runtime/printable.ts';
import { parseUsd } from '../../runtime/micro-usd.ts';
import { isScope, SCOPES, type Scope } from '../account/tokens/scopes.ts';
import { serviceError } from '../base/service-error.ts';
import { type LimitRequest, readRequests } from './limit-request.ts';

/** A request about access tokens, money, limits, second factors or the audit log, checked. */
export type AccountRequest =
  | LimitRequest
  | {
      readonly kind: 'tokens.create';
      readonly account: string;
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly expiresInMs: number | undefined;
    }
  | { readonly kind: 'tokens.list'; readonly account: string | undefined }
  | { readonly kind: 'tokens.revoke'; readonly id: string }
  /** `amount` in micro-USD. */
  | {
      readonly kind: 'money.credit';
      readonly account: string;
      readonly amount: bigint;
      readonly note: string | undefined;
    }
  | { readonly kind: 'money.balance'; readonly account: string }
  | { readonly kind: 'two-factor.enrol'; readonly account: string }
  | { readonly kind: 'two-factor.remove'; readonly account: string }
  | { readonly kind: 'two-factor.unlock'; readonly account: string }
  | {
      readonly kind: 'audit.verify';
      readonly account: string | undefined;
      readonly publicKeys: readonly Uint8Array[];
    };

type Kind = AccountRequest['kind'];
type Members = Readonly<Record<string, unknown>>;

const ACCOUNT = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PUBLIC_KEY = /^[0-9a-fA-F]{64}$/;
const DAY_MS = 86_400_000;
const MAX_EXPIRY_MS = 3_660 * DAY_MS;

const READERS: {
  readonly [K in Kind]: (members: Members) => Omit<Extract<AccountRequest, { kind: K }>, 'kind'>;
} = {
  'tokens.create': ({ account, name, scopes, expiresInMs }) => ({
    account: readNewAccount(account ?? 'default'),
    name: readText(name ?? 'unnamed', 'the name of a token'),
    scopes: readScopes(scopes),
    expiresInMs: readExpiry(expiresInMs),
  }),
  'tokens.list': ({ account }) => ({ account: account === undefined ? undefined : String(account) }),
  'tokens.revoke': ({ id }) => ({ id: readId(id) }),
  'money.credit': ({ account, amountUsd, note }) => ({
    account: String(account),
    amount: readAmount(amountUsd),
    note: note === undefined ? undefined : readText(note, 'a note'),
  }),
  'money.balance': ({ account }) => ({ account: String(account) }),
  'wallet-limit': ({ account, requests }) => ({
    account: String(account),
    requests: readRequests(requests, '--per-minute'),
  }),
  'wallet-use-limit': ({ account, requests }) => ({
    account: String(account),
    requests: readRequests(requests, '--per-second'),
  }),
  'wallet-limit.show': ({ account }) => ({ account: String(account) }),
  'wallet-use-limit.show': ({ account }) => ({ account: String(account) }),
  'two-factor.enrol': ({ account }) => ({ account: String(account) }),
  'two-factor.remove': ({ account }) => ({ account: String(account) }),
  'two-factor.unlock': ({ account }) => ({ account: String(account) }),
  'audit.verify': ({ account, publicKeys }) => ({
    account: account === undefined ? undefined : String(account),
    publicKeys: readPublicKeys(publicKeys),
  }),
};

/** True for a request about an account, by its kind. */
export function isAccountRequest(request: unknown): request is { readonly kind: Kind } {
  const kind = typeof request === 'object' && request !== null && 'kind' in request ? request.kind : '';
  return typeof kind === 'string' && Object.hasOwn(READERS, kind);
}

/**
 * Checks a request from the admin socket or the command line. Amounts are decimal text in USD.
 *
 * @throws ServiceError `invalidCommand` with the mistake; `tokenNotFound` for a malformed id.
 */
export function readAccountRequest({ kind, ...members }: { readonly kind: Kind }): AccountRequest {
  return { kind, ...READERS[kind](members) } as AccountRequest;
}

/** Returns the name of an account that is created if it does not exist. @throws ServiceError `invalidCommand`. */
export function readNewAccount(account: unknown): string {
  if (account === DEVELOPMENT)
    throw mistake('the account name development is reserved for the server; choose another name');
  if (typeof account === 'string' && ACCOUNT.test(account)) return account;
  throw mistake(
    'the name of an account must have 1 to 63 characters (a-z, 0-9, dot, dash, underscore) and begin with a letter or digit',
  );
}

/** @throws ServiceError `invalidCommand` for a text that is empty, long or not printable. */
export function readText(text: unknown, what: string): string {
  if (isPrintable(text, 100)) return text;
  throw mistake(`${what} must have 1 to 100 printable characters`);
}

function readScopes(scopes: unknown): readonly Scope[] {
  const known = SCOPES.join(', ');
  if (!Array.isArray(scopes) || scopes.length === 0) throw mistake(`expected at least one --scope: ${known}`);
  return scopes.map((scope) => {
    if (isScope(scope)) return scope;
    throw mistake(`unknown scope ${JSON.stringify(scope)}; expected one of ${known}`);
  });
}

function readExpiry(expiresInMs: unknown): number | undefined {
  if (expiresInMs === undefined) return undefined;
  if (typeof expiresInMs === 'number' && expiresInMs > 0 && expiresInMs <= MAX_EXPIRY_MS)
    return Math.trunc(expiresInMs);
  throw mistake('--expires must be from 1s to 3660d');
}

function readId(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw serviceError('tokenNotFound', { id: String(id) });
}

function readAmount(amountUsd: unknown): bigint {
  const amount = typeof amountUsd === 'string' ? parseUsd(amountUsd) : undefined;
  if (amount !== undefined && amount !== 0n) return amount;
  throw mistake(
    `the amount must be decimal USD other than 0, such as 25 or 0.50 (at most 999999999, at most 6 decimals; -25 takes credit back), got ${JSON.stringify(amountUsd)}`,
  );
}

function readPublicKeys(keys: unknown): readonly Uint8Array[] {
  if (keys === undefined) return [];
  if (!Array.isArray(keys)) throw mistake('the public keys must be a list');
  return keys.map((key) => {
    if (typeof key === 'string' && PUBLIC_KEY.test(key)) return Buffer.from(key, 'hex');
    throw mistake(`--public-key must be 64 hexadecimal digits, got ${JSON.stringify(key)}`);
  });
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
