import { ERRORS } from '../../../generated/errors.ts';
import { isSubscriptionName, SUBSCRIPTIONS } from '../../../generated/ledger/subscriptions.ts';
import { compare } from '../check-reply.ts';
import type { ContractSocket } from './contract-socket.ts';

const NOT_THERE = {
  kind: 'error',
  error: 'subscriptionNotFound',
  code: ERRORS.subscriptionNotFound.jsonrpc.code,
  message: ERRORS.subscriptionNotFound.jsonrpc.message,
} as const;

/** Calls the unsubscribe method of a subscription. @returns how the answer differs from what it must be. */
export async function unsubscribe(
  socket: ContractSocket,
  method: string,
  id: unknown,
  isThere: boolean,
): Promise<readonly string[]> {
  if (!isSubscriptionName(method)) return [];
  const name = SUBSCRIPTIONS[method].unsubscribe;
  const answer = await socket.ask(name, [id]);
  const told = (problems: readonly string[]) => problems.map((problem) => `${name}: ${problem}`);
  if (!('kind' in answer)) return told(answer);
  if (!isThere) return told(compare(answer, NOT_THERE));
  const problems = compare(answer, { kind: 'result' });
  return told(
    answer.kind === 'result' && answer.result !== true
      ? [`answered ${String(answer.result)}, not true`]
      : problems,
  );
}
