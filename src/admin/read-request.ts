import { type AccountRequest, isAccountRequest, readAccountRequest } from './account-request.ts';
import { type BillingRequest, isBillingRequest, readBillingRequest } from './billing-request.ts';
import { isListRequest, type ListRequest, readListRequest } from './list-request.ts';
import { type KeyRequest, readKeyRequest } from './key-request.ts';
import { isOperatorRequest, type OperatorRequest, readOperatorRequest } from './operator-request.ts';
import { isMemberRequest, type MemberCommand, readMemberRequest } from './member-request.ts';
import { type PlanRequest, readPlanRequest } from './plan-request.ts';
import {
  isServiceLevelRequest,
  readServiceLevelRequest,
  type ServiceLevelRequest,
} from './service-level-request.ts';
import { readSignerRequest, type SignerRequest } from './signer-request.ts';
import { isWebhookRequest, readWebhookRequest, type WebhookRequest } from './webhook-request.ts';
import { readUsageRequest, type UsageRequest } from './usage-request.ts';

/** A request, checked. */
export type AdminRequest =
  | { readonly about: 'keys'; readonly request: KeyRequest }
  | { readonly about: 'plans'; readonly request: PlanRequest }
  | { readonly about: 'usage'; readonly request: UsageRequest }
  | { readonly about: 'nodes'; readonly request: { readonly kind: 'nodes' } }
  | { readonly about: 'status'; readonly request: { readonly kind: 'status' } }
  | { readonly about: 'copy'; readonly request: { readonly kind: 'store.copy' } }
  | { readonly about: 'signer'; readonly request: SignerRequest }
  | { readonly about: 'service-level'; readonly request: ServiceLevelRequest }
  | { readonly about: 'operators'; readonly request: OperatorRequest }
  | { readonly about: 'lists'; readonly request: ListRequest }
  | { readonly about: 'members'; readonly request: MemberCommand }
  | { readonly about: 'webhooks'; readonly request: WebhookRequest }
  | { readonly about: 'billing'; readonly request: BillingRequest }
  | { readonly about: 'account'; readonly request: AccountRequest };

/**
 * Checks a request from the admin socket or the command line.
 *
 * @throws ServiceError `invalidCommand` with the mistake; `keyNotFound`, `tokenNotFound` for a malformed id.
 */
export function readRequest(request: unknown): AdminRequest {
  const members: Readonly<Record<string, unknown>> =
    typeof request === 'object' && request !== null ? { ...request } : {};
  const kind = typeof members.kind === 'string' ? members.kind : '';
  if (kind.startsWith('plans.')) return { about: 'plans', request: readPlanRequest({ ...members }) };
  if (kind === 'usage') return { about: 'usage', request: readUsageRequest({ ...members }) };
  if (kind === 'nodes') return { about: 'nodes', request: { kind } };
  if (kind === 'status') return { about: 'status', request: { kind } };
  if (kind === 'store.copy') return { about: 'copy', request: { kind } };
  if (kind.startsWith('signer.')) return { about: 'signer', request: readSignerRequest({ ...members }) };
  if (isServiceLevelRequest(members))
    return { about: 'service-level', request: readServiceLevelRequest(members) };
  if (isOperatorRequest(members)) return { about: 'operators', request: readOperatorRequest(members) };
  if (isListRequest(members)) return { about: 'lists', request: readListRequest(members) };
  if (isWebhookRequest(members)) return { about: 'webhooks', request: readWebhookRequest(members) };
  if (isMemberRequest(members)) return { about: 'members', request: readMemberRequest(members) };
  if (isBillingRequest(members)) return { about: 'billing', request: readBillingRequest(members) };
  if (isAccountRequest(members)) return { about: 'account', request: readAccountRequest(members) };
  return { about: 'keys', request: readKeyRequest(members) };
}
