import type { LedgerHandlers } from '../../generated/ledger/handlers.ts';
import { LOCALNET_HANDLERS } from '../../generated/ledger/localnet-handlers.ts';
import { isMethodName, METHODS, type MethodName } from '../../generated/ledger/methods.ts';
import { checkParams } from '../../generated/ledger/params.ts';
import { isMethodName as isCheatName } from '../../generated/localnet/methods.ts';
import { ServiceError, serviceError } from '../core/service-error.ts';
import { callCheat } from './call-cheat.ts';
import { callInFork } from './fork/call-in-fork.ts';
import type { Ledger } from './ledger.ts';

type AnyHandler = (ledger: Ledger, ...params: readonly unknown[]) => unknown;

/**
 * Answers one call.
 *
 * @throws ServiceError methodNotFound, cheatCodesOff, forkFailed, the errors of checkParams, and those of the method.
 */
export async function callMethod(ledger: Ledger, method: string, params: unknown): Promise<unknown> {
  if (isCheatName(method)) return await callCheat(ledger, method, params);
  const handler = isMethodName(method) ? handlerOf(method) : undefined;
  if (!isMethodName(method) || handler === undefined) throw serviceError('methodNotFound');
  const violation = checkParams(method, params);
  if (violation !== undefined) throw new ServiceError(violation.error, violation.context);
  const args: readonly unknown[] = Array.isArray(params) ? params : [];
  const run = (): unknown => handler(ledger, ...args);
  const { fork } = ledger;
  return fork === undefined ? run() : await callInFork(ledger, fork, { method, params: args }, run);
}

/** Returns the handler of a method that nodes serve. Its params are checked before the call, which the type cannot express. */
function handlerOf(method: MethodName): AnyHandler | undefined {
  if (METHODS[method].served !== 'upstream') return undefined;
  return LOCALNET_HANDLERS[method as keyof LedgerHandlers<Ledger>] as AnyHandler;
}
