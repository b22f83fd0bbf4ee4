import {
  isSubscriptionName,
  type SubscriptionInfo,
  SUBSCRIPTIONS,
  type SubscriptionName,
} from '../../../../generated/ledger/subscriptions.ts';
import type { Case } from '../../../../runtime/contract-case.ts';
import {
  REPLY_VALIDATOR,
  NOTIFICATION_VALIDATORS,
} from '../../../../generated/contract/ledger/notifications.ts';
import { compare, type Envelope } from '../check-reply.ts';
import { RateLimited } from '../json-rpc.ts';
import { type CaseResult, fillIn, fillInExpectation } from '../runner.ts';
import type { Scenario } from '../scenario.ts';
import {
  type ContractSocket,
  openContractSocket,
  type SocketTarget,
  type Message,
} from './contract-socket.ts';
import { missingIn } from '../../../../runtime/missing-in.ts';
import { printJson } from '../../../../runtime/json.ts';
import { eventually } from '../../../core/eventually.ts';
import { ERRORS } from '../../../../generated/errors.ts';

/**
 * Subscribes, makes the `transfer`, and waits for the expected notifications; then sends every other case of subscriptions, one after the
 * other. Never throws because of an answer.
 *
 * @throws Error if the connection is refused.
 */
export async function runSubscriptions(
  target: SocketTarget,
  cases: readonly Case[],
  scenario: Scenario,
  transfer: () => Promise<void>,
): Promise<readonly CaseResult[]> {
  const results = new Map<Case, CaseResult>();
  const notified = cases.filter(({ kind }) => kind === 'notification');
  // First, because the signed transfer expires.
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

/** Ends the subscription of a case. The reply must be an id; a lifecycle case ends it twice, and the second call must be refused. */
async function endSubscription(
  socket: ContractSocket,
  { method, kind }: Case,
  id: unknown,
): Promise<readonly string[]> {
  if (!REPLY_VALIDATOR(id)) return [`the reply is not an id: ${String(id)}`];
  const problems = await unsubscribe(socket, method, id, true);
  return kind === 'life' ? [...problems, ...(await unsubscribe(socket, method, id, false))] : problems;
}

/** A finalized slot can be half a minute old if slots are skipped. */
const PATIENCE_MS = 60_000;
const INTERVAL_MS = 20;

type Subscribed = {
  readonly item: Case;
  readonly method: SubscriptionName;
  readonly id: unknown;
  readonly answer: Envelope;
  /** The members that each notification must have. */
  readonly has: unknown;
  /** True if this network need not notify. */
  readonly isSilent: boolean;
};

/**
 * Creates all subscriptions, then makes the transfer, and waits until each has notified. Every notification is checked against its schema;
 * then each subscription is ended that the server has not ended itself.
 */
async function awaitNotifications(
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
    const isTower = !(await runsAlpenglow(socket));
    for (const item of cases) {
      const made = await subscribe(socket, item, scenario);
      if ('failures' in made) results.push(made);
      else subscribed.push({ ...made, isSilent: item.by === 'tower' && !isTower });
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

/** A node that does not know the method or does not answer it counts as running Tower BFT. */
async function runsAlpenglow(socket: ContractSocket): Promise<boolean> {
  const answer = await socket.ask('getAgGenesisCert', []).catch(() => undefined);
  return answer !== undefined && 'kind' in answer && answer.kind === 'result' && answer.result !== null;
}

async function subscribe(
  socket: ContractSocket,
  item: Case,
  scenario: Scenario,
): Promise<Omit<Subscribed, 'isSilent'> | CaseResult> {
  const { method } = item;
  if (!isSubscriptionName(method)) return { case: item, failures: [`${method} is not a subscription`] };
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

/** Waits until each has notified and one-shot subscriptions have ended, or for the deadline; then reports what is missing. */
async function allNotified(
  socket: ContractSocket,
  subscribed: readonly Subscribed[],
  timeoutMs: number,
): Promise<void> {
  const isDone = ({ method, id, isSilent }: Subscribed): boolean => {
    if (isSilent) return true;
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
  { item, method, id, answer, has, isSilent }: Subscribed,
  patienceMs: number,
): Promise<CaseResult> {
  const { notification, endsItself } = SUBSCRIPTIONS[method];
  const heard = notificationsOf(socket, id);
  const missing = heard.length > 0 || isSilent ? [] : [`no ${notification} within ${patienceMs} ms`];
  const isOver = endsItself && heard.some((message) => isLast(message, SUBSCRIPTIONS[method]));
  const unended = endsItself && heard.length > 0 && !isOver ? ['the outcome did not come'] : [];
  const wrong = heard.flatMap((message) => [...problemsOf(message, method), ...lacking(message, has)]);
  const ended = await unsubscribe(socket, method, id, !isOver).catch((error: unknown) => [String(error)]);
  return { case: item, failures: [...missing, ...unended, ...new Set(wrong), ...ended], answer };
}

const notificationsOf = ({ told }: ContractSocket, id: unknown): readonly Message[] =>
  told.filter(({ params }) => isObject(params) && params.subscription === id);

/** Returns the problems of a notification: unknown or missing members, and values that its schema rejects. */
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

/** Returns the problems of a notification that lacks the members required by the case. */
const lacking = ({ params }: Message, has: unknown): readonly string[] =>
  has === undefined ? [] : missingIn(isObject(params) ? params.result : undefined, has);

const membersOf = (object: Message, known: readonly string[]): readonly string[] =>
  Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => `unknown member ${name} of a notification`);

/** True if the server ended the subscription with this notification. */
const isLast = ({ params }: Message, { outcome = [] }: SubscriptionInfo): boolean =>
  outcome.length > 0 &&
  outcome.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? (value[step] ?? NOTHING) : undefined),
    isObject(params) ? params.result : undefined,
  ) !== undefined;

/** A member that is present and null. */
const NOTHING = 'null';

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NOT_THERE = {
  kind: 'error',
  error: 'subscriptionNotFound',
  code: ERRORS.subscriptionNotFound.jsonrpc.code,
  message: ERRORS.subscriptionNotFound.jsonrpc.message,
} as const;

/** Calls the unsubscribe method of a subscription. @returns the faults of the answer. */
async function unsubscribe(
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
