import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Common, Refill, Subscription, SubscriptionExample } from '../../model/subscription.ts';
import { unsubscribeOf } from '../../model/subscription.ts';
import { block, HEADER, refusal, requestOf, typeLink, typedResult } from './doc-parts.ts';
import { cell, errorTable, paramTable } from './tables.ts';

/** docs/ledger/<name>.md: one page per subscription. */
export const renderSubscriptionPages = (model: LedgerModel): Files =>
  Object.fromEntries(model.subscriptions.map((item) => [`docs/ledger/${item.name}.md`, page(item, model)]));

/** The subscriptions' part of the index, and their common parts. */
export const subscriptionSection = (model: LedgerModel): string => {
  const { subscriptions, common } = model;
  const [first] = subscriptions;
  if (!first) return '';
  const end = unsubscribeOf(first, common);
  const rows = subscriptions.map(
    ({ name, summary, notification, unsubscribe }) =>
      `| [${name}](${name}.md) | ${cell(summary)} | \`${notification.name}\` | \`${unsubscribe}\` |\n`,
  );
  return [
    '## subscriptions\n',
    'Over WebSocket, where every method can be called too.\n',
    `| call | | notifies as | ended by |\n|---|---|---|---|\n${rows.join('')}`,
    '### The reply\n',
    typedResult(common.reply, undefined, model),
    `### ${subscriptions.map(({ unsubscribe }) => `\`${unsubscribe}\``).join(', ')}\n`,
    `${end.summary}${end.description === undefined ? '' : ` ${end.description.trim()}`}\n`,
    paramTable(end, model, typeLink),
    typedResult(common.unsubscribe.result, undefined, model),
    errorTable(end, model),
    `### \`${common.gap.name}\`\n`,
    typedResult(common.gap, undefined, model),
    common.gap.examples
      .map((params) => block({ jsonrpc: '2.0', method: common.gap.name, params }))
      .join('\n'),
  ].join('\n');
};

const page = (item: Subscription, model: LedgerModel): string =>
  [
    `${HEADER}# ${item.name}\n`,
    `${item.summary}${item.description === undefined ? '' : ` ${item.description.trim()}`}\n`,
    `${subscriptionFacts(item).join(' ')}\n`,
    '## Params\n',
    paramTable(item, model, typeLink),
    '## Reply\n',
    typedResult(model.common.reply, undefined, model),
    `## ${item.notification.name}\n`,
    typedResult(item.notification, undefined, model),
    '## Errors\n',
    errorTable(item, model),
    ...(item.examples.length > 0
      ? ['## Examples\n', item.examples.map((each) => example(item, each, model)).join('\n')]
      : []),
  ].join('\n');

const REFILLED: Readonly<Record<Refill, string>> = {
  state: 'Refilled with the latest state when the connection to the node was lost; states between are a gap.',
  status: 'Refilled with the status of the transaction when the connection to the node was lost.',
  blocks: 'Refilled from the missed blocks when the connection to the node was lost.',
  none: 'What was missed when the connection to the node was lost is a gap.',
};

/** What is known of a subscription besides its params and its notifications, a sentence each. */
export const subscriptionFacts = (item: Subscription): readonly string[] => [
  `Weight ${item.cost}.`,
  item.origin === 'given' ? 'Given by the interface.' : 'Chosen by us.',
  `Ended by \`${item.unsubscribe}\`${item.outcome ? `, or by the server after a notification with \`${item.outcome.join('.')}\`` : ''}.`,
  REFILLED[item.refill],
  ...(item.congested === 'latest' ? ['A reader that is too slow is left with the latest notification.'] : []),
  ...(item.nodes === 'some' ? ['Served by those nodes whose operator allows it.'] : []),
];

const example = (
  item: Subscription,
  { name, params, result, notifications = [], error }: SubscriptionExample,
  model: LedgerModel,
): string => {
  const entry = error === undefined ? undefined : model.errors.get(error);
  const sent = notifications.map((value) => block(notice(item, model.common, result, value))).join('\n');
  const answer = entry ? refusal(entry) : `${block({ jsonrpc: '2.0', result, id: 1 })}\n${sent}`;
  return `### ${name}\n\n${block(requestOf(item, params))}\n${answer}`;
};

/** The message that carries a notification of an example. */
export const notice = (
  { notification }: Subscription,
  { reply }: Common,
  id: unknown,
  result: unknown,
): object => ({
  jsonrpc: '2.0',
  method: notification.name,
  params: { result, [reply.name]: id },
});
