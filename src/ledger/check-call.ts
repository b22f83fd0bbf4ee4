import { GATEWAY_GUARDS } from '../../generated/ledger/gateway-handlers.ts';
import { isMethodName, type MethodName, METHODS } from '../../generated/ledger/methods.ts';
import { checkParams } from '../../generated/ledger/params.ts';
import { ServiceError, serviceError } from '../service-error.ts';
import type { Call } from '../server/json-rpc/call.ts';

/** A check that the spec cannot say: takes params that have passed the generated ones, throws ServiceError. */
type Guard = (params: readonly unknown[]) => void;

const GUARDS: Readonly<Partial<Record<MethodName, Guard>>> = GATEWAY_GUARDS;

/**
 * The method of a call that may be served in this environment.
 *
 * @throws ServiceError `methodNotFound`, the method's refusal in this environment, or what is wrong with its params,
 *   in the code and words of a node.
 */
export function checkCall(
  { method, params }: Pick<Call, 'method' | 'params'>,
  environment: string,
): MethodName {
  if (!isMethodName(method)) throw serviceError('methodNotFound');
  const refusal = METHODS[method].refusedIn[environment];
  if (refusal !== undefined) throw new ServiceError(refusal);
  const violation = checkParams(method, params);
  if (violation !== undefined) throw new ServiceError(violation.error, violation.context);
  if (Array.isArray(params)) GUARDS[method]?.(params);
  return method;
}
