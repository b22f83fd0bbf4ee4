import { CHEAT_HANDLERS } from '../../generated/localnet/cheat-handlers.ts';
import type { MethodName } from '../../generated/localnet/methods.ts';
import { checkParams } from '../../generated/localnet/params.ts';
import { ServiceError, serviceError } from '../core/service-error.ts';
import { assertMembers } from './cheats/assert-members.ts';
import type { Ledger } from './ledger.ts';

type AnyHandler = (ledger: Ledger, ...params: readonly unknown[]) => unknown;

/**
 * Answers a call of a cheat code. Transactions that were accepted before it land first.
 *
 * @throws ServiceError cheatCodesOff, the errors of checkParams and assertMembers, and those of the cheat code.
 */
export async function callCheat(ledger: Ledger, method: MethodName, params: unknown): Promise<unknown> {
  if (!ledger.cheatCodes) throw serviceError('cheatCodesOff');
  const violation = checkParams(method, params);
  if (violation !== undefined) throw new ServiceError(violation.error, violation.context);
  const args: readonly unknown[] = Array.isArray(params) ? params : [];
  assertMembers(method, args);
  await ledger.incoming.flush();
  const handler = CHEAT_HANDLERS[method] as AnyHandler;
  return await handler(ledger, ...args);
}
