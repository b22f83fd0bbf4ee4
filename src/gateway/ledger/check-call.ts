import { GATEWAY_GUARDS } from '../../../generated/ledger/gateway-handlers.ts';
import { isMethodName, type MethodName, METHODS } from '../../../generated/ledger/methods.ts';
import { type CallName, checkParams } from '../../../generated/ledger/params.ts';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import type { Call } from '../../core/rpc/call.ts';

/**
 * A check that the spec cannot express: takes params that have passed the generated checks, throws ServiceError. If there is a
 * node, checks that it makes in its own order are left to it.
 */
type Guard = (params: readonly unknown[], scene: { readonly hasNode: boolean }) => void;

const GUARDS: Readonly<Partial<Record<MethodName, Guard>>> = GATEWAY_GUARDS;

/**
 * Throws the fault of a call's params, in the code and words of a node. Checks that only newer nodes make are left to the node,
 * where there is one.
 *
 * @throws ServiceError
 */
export function assertParams(
  name: CallName,
  params: unknown,
  { hasNode }: { readonly hasNode: boolean },
): void {
  const violation = checkParams(name, params);
  if (violation === undefined || (hasNode && violation.since !== undefined)) return;
  throw new ServiceError(violation.error, violation.context);
}

/**
 * Returns the method of a call if this environment serves it.
 *
 * @throws ServiceError `methodNotFound`, the method's refusal in this environment with the reason in its data, or the fault of
 *   its params, in the code and words of a node.
 */
export function checkCall(
  { method, params }: Pick<Call, 'method' | 'params'>,
  environment: string,
  { hasNode = true } = {},
): MethodName {
  if (!isMethodName(method)) throw serviceError('methodNotFound');
  const refusal = METHODS[method].refusedIn[environment];
  if (refusal !== undefined) {
    const reason = `${method} works in test environments only, and this network is ${environment}`;
    throw new ServiceError(refusal, { environment, reason });
  }
  assertParams(method, params, { hasNode });
  if (Array.isArray(params)) GUARDS[method]?.(params, { hasNode });
  return method;
}
