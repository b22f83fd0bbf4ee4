import { parseUsd } from '../../../runtime/micro-usd.ts';
import { isPrintable } from '../../../runtime/printable.ts';
import { DEVELOPMENT } from '../../account/accounts/account-name.ts';
import { isScope, SCOPES, type Scope } from '../../account/identity/tokens/scopes.ts';
import type { UsageQuery } from '../../account/usage/read-usage.ts';
import { USAGE_GROUPS } from '../../account/usage/usage-groups.ts';
import { serviceError } from '../../core/service-error.ts';
import type { OperationRequest } from './serve-operation.ts';

type Members = Readonly<Record<string, unknown>>;

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PUBLIC_KEY = /^[0-9a-fA-F]{64}$/;
const ACCOUNT = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const DAY_MS = 86_400_000;
const MAX_OVERLAP_MS = 30 * DAY_MS;
const MAX_EXPIRY_MS = 3_660 * DAY_MS;

const noFields = () => ({});
const ofAccount = ({ account }: Members) => ({ account: String(account) });
const ofAnyAccount = ({ account }: Members) => ({
  account: account === undefined ? undefined : String(account),
});

/** The members of each request that has no form over HTTP. Amounts are in micro-USD. */
const READERS = {
  nodes: noFields,
  status: noFields,
  'store.copy': noFields,
  'signer.rotate-master': noFields,
  'signer.adopt': noFields,
  'keys.list': ofAnyAccount,
  'keys.rotate': ({ id, overlapMs }) => ({ id: readKeyId(id), overlapMs: readOverlap(overlapMs) }),
  'tokens.list': ofAnyAccount,
  'tokens.create': ({ account, name, scopes, expiresInMs }) => ({
    account: readNewAccount(account ?? 'default'),
    name: readText(name ?? 'unnamed', 'the name of a token'),
    scopes: readScopes(scopes),
    expiresInMs: readExpiry(expiresInMs),
  }),
  usage: ({ sinceMs, by, account, id }) => ({
    sinceMs: readInstant(sinceMs),
    by: readGroup(by ?? 'key'),
    ...ofAnyAccount({ account }),
    id: id === undefined ? undefined : readKeyId(id),
  }),
  availability: ofAnyAccount,
  'money.balance': ofAccount,
  'money.credit': ({ account, amountUsd, note }) => ({
    account: String(account),
    amount: readCredit(amountUsd),
    note: note === undefined ? undefined : readText(note, 'a note'),
  }),
  'invoices.credit': ({ number, amountUsd, reason, reference }) => ({
    number: String(number),
    amount: readAmount('the amount', amountUsd),
    reason: readText(reason, '--reason'),
    reference: reference === undefined ? undefined : readText(reference, '--reference'),
  }),
  'accounts.operator': ({ account, operates }) => ({ account: String(account), operates: operates === true }),
  'members.setup-link': ({ account }) => ({
    account: account === DEVELOPMENT ? DEVELOPMENT : readNewAccount(account),
  }),
  'members.reset': ({ account, email }) => ({ account: String(account), email: String(email) }),
  'two-factor.enrol': ofAccount,
  'two-factor.remove': ofAccount,
  'two-factor.unlock': ofAccount,
  'audit.verify': ({ account, publicKeys }) => ({
    ...ofAnyAccount({ account }),
    publicKeys: readPublicKeys(publicKeys),
  }),
} satisfies Readonly<Record<string, (members: Members) => object>>;

type Kind = keyof typeof READERS;

/** A checked request of one kind. */
export type LocalRequestOf<K extends Kind> = { readonly kind: K } & Readonly<ReturnType<(typeof READERS)[K]>>;

/** A checked request that has no form over HTTP. */
export type LocalRequest = { [K in Kind]: LocalRequestOf<K> }[Kind];

/** A local request as it is sent: members that are undefined are left out, amounts are decimal text in USD. */
export type SentLocalRequest = Readonly<Record<string, unknown>> & { readonly kind: Kind };

/** A checked request. */
export type AdminRequest = OperationRequest | LocalRequest;

/**
 * Checks a request from the admin socket or the command line. Of a request for an operation only its own members are checked, the rest by
 * `serveOperation`.
 *
 * @throws ServiceError `invalidCommand` with the mistake; `keyNotFound` for a malformed id.
 */
export function readRequest(request: unknown): AdminRequest {
  const members: Members = typeof request === 'object' && request !== null ? { ...request } : {};
  const { kind, operation, account, id, isNew } = members;
  if (typeof kind === 'string' && Object.hasOwn(READERS, kind))
    return { kind, ...READERS[kind as Kind](members) } as LocalRequest;
  if (typeof operation !== 'string')
    throw mistake('the server does not know this command; it may run another version');
  if (isNew === true) readNewAccount(account);
  return {
    ...members,
    ...(account !== undefined && { account: String(account) }),
    ...(id !== undefined && { id: String(id) }),
  } as OperationRequest;
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

/** Reads how long what is replaced stays valid: 24 hours by default. @throws ServiceError `invalidCommand`. */
export function readOverlap(overlapMs: unknown = DAY_MS): number {
  if (Number.isSafeInteger(overlapMs) && Number(overlapMs) >= 0 && Number(overlapMs) <= MAX_OVERLAP_MS)
    return Number(overlapMs);
  throw mistake('--overlap must be from 0s to 30d');
}

/** Reads an amount above 0, in micro-USD. @throws ServiceError `invalidCommand`. */
export function readAmount(what: string, amountUsd: unknown): bigint {
  const amount = typeof amountUsd === 'string' ? parseUsd(amountUsd) : undefined;
  if (amount !== undefined && amount > 0n) return amount;
  throw mistake(`${what} must be decimal USD above 0, such as 5000, got ${JSON.stringify(amountUsd)}`);
}

/** The error of a mistake in a command. */
export function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}

function readKeyId(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw serviceError('keyNotFound', { id: String(id) });
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

function readInstant(sinceMs: unknown): number {
  if (typeof sinceMs === 'number' && Number.isSafeInteger(sinceMs) && sinceMs >= 0) return sinceMs;
  throw mistake('since must be an instant after 1970, in milliseconds');
}

function readGroup(by: unknown): UsageQuery['by'] {
  const group = USAGE_GROUPS.find((each) => each === by);
  if (group !== undefined) return group;
  throw mistake(`--by must be one of ${USAGE_GROUPS.join(', ')}, got ${JSON.stringify(by)}`);
}

function readCredit(amountUsd: unknown): bigint {
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
