import type { OperatedLimitRequest, LimitRequest as ShownRequest } from '../../../generated/account/types.ts';
import type { LimitRequest, NamedLimitRequest } from '../plans/limit-requests.ts';
import { serviceError } from '../../core/service-error.ts';
import { isUuid } from './uuid.ts';

/** @throws ServiceError `limitRequestNotFound` for a text that cannot be the id of a request. */
export function assertLimitRequestId(id: string): void {
  if (!isUuid(id)) throw serviceError('limitRequestNotFound', { id });
}

/** Returns a request for a higher limit as its account sees it. */
export function toLimitRequestView(request: LimitRequest): ShownRequest {
  const { id, kind, wanted, reason, state, answer, createdAt, decidedAt } = request;
  return {
    limit_request_id: id,
    limit: kind,
    wanted,
    reason,
    state,
    ...(answer === null ? {} : { answer }),
    created_at: createdAt.toISOString(),
    ...(decidedAt === null ? {} : { decided_at: decidedAt.toISOString() }),
  };
}

/** Returns a request for a higher limit as operators see it. */
export function showOperatedLimitRequest(request: NamedLimitRequest): OperatedLimitRequest {
  const { accountId, account } = request;
  return { ...toLimitRequestView(request), account_id: accountId, account };
}
