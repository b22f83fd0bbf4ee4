import type { CheckSource } from '../../account/identity/api-keys/key-rules.ts';
import type { KeyMemo } from '../../account/identity/api-keys/keyring.ts';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../core/clock.ts';
import type { ErrorName } from '../../../generated/errors.ts';
import { copyText } from '../../core/copy-text.ts';
import type { RequestMark } from '../../core/request-id.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import type { ClientAddress } from './client-address.ts';
import type { NoteUse } from './key-uses.ts';
import { noteRefused, type RequestLog } from './request-log.ts';
import { UNREAD } from './weigh.ts';

/** The authenticated caller of a request. */
export type Caller = {
  readonly keyId: string;
  readonly accountId: string;
  /** The user behind the key that the client names in the header Keyslot-Session; undefined if it names none. */
  readonly session?: string | undefined;
  /** The request, if it is logged. */
  readonly mark?: RequestMark | undefined;
};

/**
 * @param network the label of the ledger network that the request is for; undefined: it is for none that exists.
 * @param mark the request; absent: a refusal is not logged.
 */
export type Authenticate = (
  request: Pick<IncomingMessage, 'url' | 'headers' | 'socket'> & { readonly keyMemo?: KeyMemo },
  network: string | undefined,
  mark?: RequestMark,
) => Caller;

/** The part of a keyring that authentication uses: lookups in memory. */
export type KeyFinder = {
  find(
    presented: string,
    nowMs: number,
    memo?: KeyMemo,
  ):
    | ({ readonly kind: 'valid'; readonly checkSource?: CheckSource | undefined } & Caller)
    | ({ readonly kind: 'revoked' | 'expired' } & Caller)
    | { readonly kind: 'unknown' };
};

/** The errors of a key that is known. */
type RefusedKey = Extract<
  ErrorName,
  | ('apiKeyRevoked' | 'apiKeyExpired')
  | ('apiKeyOriginRefused' | 'apiKeyAddressRefused' | 'apiKeyNetworkRefused')
>;

/** Longer session names are cut to this length. */
const MAX_SESSION_LENGTH = 64;

/**
 * Creates the API key check, which works from memory. It reads the address and the headers only, so that it can run before the
 * body is read. Throws ServiceError `apiKeyMissing`, `apiKeyUnknown`, `tokenAsApiKey`, `apiKeyRevoked`, `apiKeyExpired`,
 * `apiKeyOriginRefused`, `apiKeyAddressRefused` or `apiKeyNetworkRefused`.
 *
 * @param noteUse called with each key that is accepted.
 * @param requests notes the requests with a known key that is refused.
 */
export function createAuthenticate(
  keyring: KeyFinder,
  clock: Clock,
  clientAddress: ClientAddress,
  noteUse: NoteUse = () => undefined,
  requests?: RequestLog,
): Authenticate {
  const refuse = (
    error: RefusedKey,
    { keyId, accountId }: Caller,
    mark: RequestMark | undefined,
  ): ServiceError => {
    noteRefused(requests, { keyId, accountId, mark }, { method: UNREAD, error });
    return serviceError(error);
  };
  return (request, network, mark) => {
    const presented = presentedKey(request);
    if (presented === undefined) throw serviceError('apiKeyMissing');
    const finding = keyring.find(presented, clock.nowMs(), request.keyMemo);
    switch (finding.kind) {
      case 'valid': {
        const { origin } = request.headers;
        const breach = finding.checkSource?.({ origin, address: clientAddress(request), network });
        if (breach !== undefined) throw refuse(breach, finding, mark);
        noteUse(finding.keyId, request);
        const { keyId, accountId } = finding;
        const session = request.headers['keyslot-session'];
        return typeof session === 'string' && session !== ''
          ? { keyId, accountId, session: copyText(session.slice(0, MAX_SESSION_LENGTH)), mark }
          : { keyId, accountId, mark };
      }
      case 'unknown':
        throw serviceError(presented.startsWith('ks_tok_') ? 'tokenAsApiKey' : 'apiKeyUnknown');
      case 'revoked':
        throw refuse('apiKeyRevoked', finding, mark);
      case 'expired':
        throw refuse('apiKeyExpired', finding, mark);
    }
    finding satisfies never;
    throw serviceError('internalError');
  };
}

/** Returns the API key of a request: query parameter `apikey`, or header `X-Api-Key`; the query parameter wins. */
export function presentedKey({
  url = '',
  headers,
}: Pick<IncomingMessage, 'url' | 'headers'>): string | undefined {
  const query = url.indexOf('?');
  const fromQuery = query < 0 ? null : readApikey(url.slice(query + 1));
  const fromHeader = headers['x-api-key'];
  const presented = fromQuery || (typeof fromHeader === 'string' ? fromHeader : '');
  return presented === '' ? undefined : presented;
}

const ONLY_PARAMETER = /^apikey=(\w*)$/;

/** A query with only a plain key, which is what clients send, needs no parser. */
function readApikey(query: string): string | null {
  return ONLY_PARAMETER.exec(query)?.[1] ?? new URLSearchParams(query).get('apikey');
}
