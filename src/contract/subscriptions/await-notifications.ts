import {
  isSubscriptionName,
  type SubscriptionInfo,
  SUBSCRIPTIONS,
  type SubscriptionName,
} from '../../../generated/ledger/subscriptions.ts';
import type { Case } from '../../../runtime/contract-case.ts';
import { missingIn } from '../../../runtime/missing-in.ts';
import { NOTIFICATION_VALIDATORS } from '../../../generated/contract/ledger/notifications.ts';
import { printJson } from '../../../runtime/json.ts';
import { RateLimited } from '../json-rpc.ts';
import { eventually } from '../../base/eventually.ts';
import { compare, type Envelope } from '../check-reply.ts';
import { type CaseResult, fillIn, fillInExpectation } from '../runner.ts';
import type { Scenario } from '../scenario.ts';
import {
  type ContractSocket,
  type Message,
  openContractSocket,
  type SocketTarget,
} from './contract-socket.ts';
import { unsubscribe } from './unsubscribe.ts';

/** A finalized slot is half a minute old where slots are skipped. */
const PATIENCE_MS = 60_000;
const INTERVAL_MS = 20;

type Subscribed = {
  readonly item: Case;
  readonly method: SubscriptionName;
  readonly id: unknown;
  readonly answer: Envelope;
  /** What each notification has. */
  readonly has: unknown;
};

/**
 * Makes all the subscriptions, then the transfer, and waits until each has notified. Every notification that comes is held against its
 * schema; afterwards each subscription is ended, where the server has not done it.
 */
export async function awaitNotifications(
  target: SocketTarget,
  cases: readonly Case[],
  scenario: Scenario,
  transfer: () => Promise<void>,
): Promise<readonly CaseResult[]> {
  if (cases.length === 0) return [];
  const socket = await openContractSocket(target);
  try {
    const results: CaseResult[] = [];
    const subscribed: Subscribed[] = [];
    for (const item of cases) {
      const made = await subscribe(socket, item, scenario);
      if ('failures' in made) results.push(made);
      else subscribed.push(made);
    }
    if (subscribed.some(({ item }) => item.by === 'transfer')) await transfer();
    const patienceMs = target.patienceMs ?? PATIENCE_MS;
    await allNotified(socket, subscribed, patienceMs);
    for (const each of subscribed) results.push(await judge(socket, each, patienceMs));
    return results;
  } finally {
    socket.close();
  }
}

async function subscribe(
  socket: ContractSocket,
  item: Case,
  scenario: Scenario,
): Promise<Subscribed | CaseResult> {
  const { method } = item;
  if (!isSubscriptionName(method)) return { case: item, failures: [`${method} is no subscription`] };
  try {
    const answer = await socket.ask(method, await fillIn(item.params, scenario));
    if (!('kind' in answer)) return { case: item, failures: answer };
    if (answer.kind === 'error') return { case: item, failures: compare(answer, item.expect), answer };
    const expected = await fillInExpectation(item.expect, scenario);
    const has = expected.kind === 'result' ? expected.has : undefined;
    return { item, method, id: answer.result, answer, has };
  } catch (error) {
    if (error instanceof RateLimited) return { case: item, failures: [error.message], isLimited: true };
    return { case: item, failures: [String(error)] };
  }
}

/** Until each has notified and what ends itself has ended, or the time is over: what is missing is told of each. */
async function allNotified(
  socket: ContractSocket,
  subscribed: readonly Subscribed[],
  timeoutMs: number,
): Promise<void> {
  const isDone = ({ method, id }: Subscribed): boolean => {
    const heard = notificationsOf(socket, id);
    return SUBSCRIPTIONS[method].endsItself
      ? heard.some((message) => isLast(message, SUBSCRIPTIONS[method]))
      : heard.length > 0;
  };
  await eventually('every subscription has notified', () => (subscribed.every(isDone) ? true : undefined), {
    timeoutMs,
    intervalMs: INTERVAL_MS,
  }).catch(() => undefined);
}

async function judge(
  socket: ContractSocket,
  { item, method, id, answer, has }: Subscribed,
  patienceMs: number,
): Promise<CaseResult> {
  const { notification, endsItself } = SUBSCRIPTIONS[method];
  const heard = notificationsOf(socket, id);
  const missing = heard.length > 0 ? [] : [`no ${notification} within ${patienceMs} ms`];
  const isOver = endsItself && heard.some((message) => isLast(message, SUBSCRIPTIONS[method]));
  const unended = endsItself && heard.length > 0 && !isOver ? ['the outcome did not come'] : [];
  const wrong = heard.flatMap((message) => [...problemsOf(message, method), ...lacking(message, has)]);
  const ended = await unsubscribe(socket, method, id, !isOver).catch((error: unknown) => [String(error)]);
  return { case: item, failures: [...missing, ...unended, ...new Set(wrong), ...ended], answer };
}

const notificationsOf = ({ told }: ContractSocket, id: unknown): readonly Message[] =>
  told.filter(({ params }) => isObject(params) && params.subscription === id);

/** What a notification has beyond what one has, or lacks, or holds that its schema does not take. */
function problemsOf(message: Message, method: SubscriptionName): readonly string[] {
  const { notification } = SUBSCRIPTIONS[method];
  const params = isObject(message.params) ? message.params : {};
  const validate = NOTIFICATION_VALIDATORS[method];
  const fits = validate(params.result);
  return [
    ...membersOf(message, ['jsonrpc', 'method', 'params']),
    ...membersOf(params, ['result', 'subscription']),
    ...(message.jsonrpc === '2.0' ? [] : [`jsonrpc is ${printJson(message.jsonrpc ?? null)}`]),
    ...(message.method === notification ? [] : [`method is ${String(message.method)}, not ${notification}`]),
    ...(fits
      ? []
      : [validate.errors?.[0]].map(
          (error) =>
            `result${error?.instancePath ?? ''} fails ${error?.keyword ?? ''} ${printJson(params.result ?? null).slice(0, 300)}`,
        )),
  ];
}

/** Where a notification lacks what the case says that each has. */
const lacking = ({ params }: Message, has: unknown): readonly string[] =>
  has === undefined ? [] : missingIn(isObject(params) ? params.result : undefined, has);

const membersOf = (object: Message, known: readonly string[]): readonly string[] =>
  Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => `unknown member ${name} of a notification`);

/** Whether the server has ended the subscription with this notification. */
const isLast = ({ params }: Message, { outcome = [] }: SubscriptionInfo): boolean =>
  outcome.length > 0 &&
  outcome.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? (value[step] ?? NOTHING) : undefined),
    isObject(params) ? params.result : undefined,
  ) !== undefined;

/** A member that is there and null. */
const NOTHING = 'null';

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
