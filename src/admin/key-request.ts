import { DEVELOPMENT } from '../account/development-name.ts';
import { isCidr } from '../base/cidr.ts';
import { isOrigin, type KeyRules } from '../account/key-rules.ts';
import { serviceError } from '../base/service-error.ts';
import { isPrintable } from '../../runtime/printable.ts';

/** A request about API keys, checked. */
export type KeyRequest =
  | {
      readonly kind: 'keys.create';
      readonly name: string;
      readonly account: string;
      readonly rules: KeyRules;
    }
  | { readonly kind: 'keys.list'; readonly account: string | undefined }
  | { readonly kind: 'keys.rotate'; readonly id: string; readonly overlapMs: number }
  | { readonly kind: 'keys.revoke'; readonly id: string };

/** The account of a key that is created without one. */
const DEFAULT_ACCOUNT = 'default';
const ACCOUNT = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DAY_MS = 86_400_000;
const MAX_RULES = 100;
const MAX_OVERLAP_MS = 30 * DAY_MS;

/**
 * Checks a request from the admin socket or the command line. The name of a key is `unnamed` unless given, the overlap of a
 * rotation 24 hours.
 *
 * @throws ServiceError `invalidCommand` with the mistake; `keyNotFound` for a malformed id.
 */
export function readKeyRequest(request: unknown): KeyRequest {
  const { kind, name, account, id, overlapMs, rules } = membersOf(request);
  switch (kind) {
    case 'keys.create':
      return {
        kind,
        name: readName(name ?? 'unnamed'),
        account: readAccount(account ?? DEFAULT_ACCOUNT),
        rules: readRules(rules),
      };
    case 'keys.list':
      return { kind, account: account === undefined ? undefined : String(account) };
    case 'keys.rotate':
      return { kind, id: readId(id), overlapMs: readOverlap(overlapMs ?? DAY_MS) };
    case 'keys.revoke':
      return { kind, id: readId(id) };
    default:
      throw mistake('the server does not know this command; it may be of another version');
  }
}

function membersOf(request: unknown): Readonly<Record<string, unknown>> {
  return typeof request === 'object' && request !== null ? { ...request } : {};
}

function readName(name: unknown): string {
  if (isPrintable(name, 100)) return name;
  throw mistake('the name of a key must have 1 to 100 printable characters');
}

function readAccount(account: unknown): string {
  if (account === DEVELOPMENT)
    throw mistake('the account name development is reserved for the server; choose another name');
  if (typeof account === 'string' && ACCOUNT.test(account)) return account;
  throw mistake(
    'the name of an account must have 1 to 63 characters (a-z, 0-9, dot, dash, underscore) and begin with a letter or digit',
  );
}

function readRules(rules: unknown): KeyRules {
  const { origins = [], cidrs = [] } = membersOf(rules);
  return {
    origins: readList(
      origins,
      isOrigin,
      'an origin must be such as https://app.example, without a path or slash at the end',
    ),
    cidrs: readList(cidrs, isCidr, 'a CIDR must be such as 10.0.0.0/8 or 2001:db8::/32'),
  };
}

function readList(list: unknown, isGood: (text: string) => boolean, rule: string): readonly string[] {
  if (!Array.isArray(list) || list.length > MAX_RULES)
    throw mistake(`expected a list of at most ${MAX_RULES}: ${rule}`);
  return list.map((text) => {
    if (typeof text === 'string' && isGood(text)) return text;
    throw mistake(`${JSON.stringify(text)}: ${rule}`);
  });
}

function readId(id: unknown): string {
  if (typeof id === 'string' && ID.test(id)) return id;
  throw serviceError('keyNotFound', { id: String(id) });
}

function readOverlap(overlapMs: unknown): number {
  if (typeof overlapMs === 'number' && overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)
    return Math.trunc(overlapMs);
  throw mistake('--overlap must be from 0s to 30d');
}

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
