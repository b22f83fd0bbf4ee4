import { isSubscriptionName } from '../../../generated/ledger/subscriptions.ts';
import type { Case } from '../../../runtime/contract-case.ts';
import { REPLY_VALIDATOR } from '../../../generated/contract/ledger/notifications.ts';
import { compare } from '../check-reply.ts';
import { RateLimited } from '../json-rpc.ts';
import { type CaseResult, fillIn } from '../runner.ts';
import type { Scenario } from '../scenario.ts';
import { type ContractSocket, openContractSocket, type SocketTarget } from './contract-socket.ts';
import { awaitNotifications } from './await-notifications.ts';
import { unsubscribe } from './unsubscribe.ts';

/**
 * Waits for the notifications that have to come, for which `transfer` is made when all is subscribed to; then sends every other case of
 * subscriptions, one after the other. Never throws for what a server answers.
 *
 * @throws Error when the connection is refused.
 */
export async function runSubscriptions(
  target: SocketTarget,
  cases: readonly Case[],
  scenario: Scenario,
  transfer: () => Promise<void>,
): Promise<readonly CaseResult[]> {
  const results = new Map<Case, CaseResult>();
  const notified = cases.filter(({ kind }) => kind === 'notification');
  // First: the transfer was signed before, and is not taken for ever.
  for (const result of await awaitNotifications(target, notified, scenario, transfer))
    results.set(result.case, result);
  const socket = await openContractSocket(target);
  try {
    for (const item of cases.filter(({ kind }) => kind !== 'notification'))
      results.set(item, { case: item, ...(await runCase(socket, item, scenario)) });
  } finally {
    socket.close();
  }
  return cases.flatMap((item) => results.get(item) ?? []);
}

async function runCase(
  socket: ContractSocket,
  item: Case,
  scenario: Scenario,
): Promise<Omit<CaseResult, 'case'>> {
  try {
    const answer = await socket.ask(item.method, await fillIn(item.params, scenario));
    if (!('kind' in answer)) return { failures: answer };
    const failures = compare(answer, item.expect);
    if (answer.kind === 'error' || !isSubscriptionName(item.method)) return { failures, answer };
    return { failures: [...failures, ...(await endSubscription(socket, item, answer.result))], answer };
  } catch (error) {
    if (error instanceof RateLimited) return { failures: [error.message], isLimited: true };
    return { failures: [String(error)] };
  }
}

/** Ends what a case has made. Its reply has to be an id; the case of its life ends it once more, which must be refused. */
async function endSubscription(
  socket: ContractSocket,
  { method, kind }: Case,
  id: unknown,
): Promise<readonly string[]> {
  if (!REPLY_VALIDATOR(id)) return [`the reply is no id: ${String(id)}`];
  const problems = await unsubscribe(socket, method, id, true);
  return kind === 'life' ? [...problems, ...(await unsubscribe(socket, method, id, false))] : problems;
}
