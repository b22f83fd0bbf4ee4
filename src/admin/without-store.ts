import { serviceError } from '../base/service-error.ts';
import type { AdminRequest } from './read-request.ts';

/** Commands about keys and accounts that are done where there was no store yet; one is made for them. */
const MAKE_STORE: ReadonlySet<string> = new Set(['keys.create', 'tokens.create', 'audit.verify']);

/** Whether a command makes a store where there is none. */
export function makesStore({ about, request }: AdminRequest): boolean {
  return about === 'plans' || about === 'usage' || MAKE_STORE.has(request.kind);
}

/**
 * What a store would answer that has nothing in it.
 * @throws ServiceError `keyNotFound`, `tokenNotFound`, `accountNotFound` or `invalidCommand` for what can only be done to what is
 *   there.
 */
export function answerWithoutStore({ request }: AdminRequest): unknown {
  if (request.kind === 'keys.list') return { keys: [] };
  if (request.kind === 'tokens.list') return { tokens: [] };
  if (request.kind === 'tokens.revoke') throw serviceError('tokenNotFound', { id: request.id });
  if (request.kind === 'signer.rotate-master')
    throw serviceError('invalidCommand', { reason: 'there are no wallets, and so no master key to rotate' });
  if (request.kind === 'signer.adopt')
    throw serviceError('invalidCommand', {
      reason: 'there is no store yet: the first server to start creates it and adopts its signer',
    });
  if ('id' in request) throw serviceError('keyNotFound', { id: request.id });
  throw serviceError('accountNotFound', { name: 'account' in request ? String(request.account) : '' });
}
