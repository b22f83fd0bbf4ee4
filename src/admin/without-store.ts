import { serviceError } from '../base/service-error.ts';
import type { AdminRequest } from './read-request.ts';

/** Requests about keys and accounts that create a store where there is none. */
const MAKE_STORE: ReadonlySet<string> = new Set([
  ...['keys.create', 'tokens.create', 'accounts.create', 'audit.verify', 'members.setup-link'],
  'planned-work.announce',
]);

/** True if the request creates a store where there is none; others are answered without one. */
export function makesStore({ about, request }: AdminRequest): boolean {
  if (request.kind === 'plans.assigned') return false;
  if (request.kind === 'availability') return request.account === undefined;
  return about === 'plans' || about === 'usage' || MAKE_STORE.has(request.kind);
}

/**
 * Answers a request as an empty store would.
 *
 * @throws ServiceError `keyNotFound`, `tokenNotFound`, `webhookNotFound`, `plannedWorkNotFound`, `accountNotFound` or `invalidCommand` for a request about something that
 *   has to exist.
 */
export function answerWithoutStore({ about, request }: AdminRequest): unknown {
  if (request.kind === 'keys.list') return { keys: [] };
  if (request.kind === 'tokens.list') return { tokens: [] };
  if (request.kind === 'accounts.list') return { accounts: [] };
  if (request.kind === 'invoices.list' && request.account === undefined) return { invoices: [] };
  if (request.kind === 'limits.requests') return { limit_requests: [] };
  if (request.kind === 'planned-work.list') return { planned_work: [] };
  if (request.kind === 'planned-work.cancel') throw serviceError('plannedWorkNotFound', { id: request.id });
  if (request.kind === 'limits.grant' || request.kind === 'limits.refuse')
    throw serviceError('limitRequestNotFound', { id: request.id });
  if (request.kind === 'tokens.revoke') throw serviceError('tokenNotFound', { id: request.id });
  if (request.kind === 'signer.rotate-master')
    throw serviceError('invalidCommand', { reason: 'there are no wallets and no master key yet' });
  if (request.kind === 'signer.adopt')
    throw serviceError('invalidCommand', {
      reason: 'there is no store yet: the first server that starts creates it and registers its signer',
    });
  if (about === 'webhooks' && 'id' in request) throw serviceError('webhookNotFound', { id: request.id });
  if ('id' in request) throw serviceError('keyNotFound', { id: request.id });
  throw serviceError('accountNotFound', { name: 'account' in request ? String(request.account) : '' });
}
