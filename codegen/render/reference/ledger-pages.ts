import { PLACEHOLDERS, printed } from '../../../runtime/call-snippets.ts';
import type { Files } from '../../area.ts';
import type { JsonObject } from '../../json.ts';
import type { ErrorModel } from '../../model/errors.ts';
import { type LedgerModel, tagTitles } from '../../model/ledger.ts';
import type { Callable, Example, Method } from '../../model/method.ts';
import { errorNamesOf, resultLimit } from '../../model/param-parts.ts';
import type { Schema } from '../../model/schema.ts';
import { unsubscribeOf, type Subscription, type SubscriptionExample } from '../../model/subscription.ts';
import { indentCode } from '../../text.ts';
import { requestOf, resultText, resultType } from '../ledger/doc-parts.ts';
import { methodFacts } from '../ledger/docs.ts';
import { notice, subscriptionFacts } from '../ledger/subscription-docs.ts';
import { brief, paramRows } from '../ledger/tables.ts';
import { declareTypes, type Declaration } from '../ledger/types.ts';
import { type Content, type Html, html, prose } from './html.ts';
import {
  callPage,
  callPanel,
  codeBlock,
  errorList,
  exampleBlock,
  type Group,
  jsonField,
  navigation,
  part,
  rowList,
  runButton,
  sectionPage,
  type ShownExample,
} from './parts.ts';

type Types = ReadonlyMap<string, Declaration>;

/** The group of the subscriptions in the navigation. */
const SUBSCRIPTIONS = 'Subscriptions';

/** reference/: the section of the ledger, and a page per method and subscription. */
export const renderLedgerReference = (model: LedgerModel): Files => {
  const types: Types = new Map(declareTypes(model).declarations.map((each) => [each.name, each]));
  const groups = groupsOf(model);
  return {
    'reference/navigation/ledger.html': navigation('ledger', groups),
    'reference/pages/ledger.html': sectionPage('ledger', {
      lead: model.presentation.description,
      about: undefined,
      groups,
    }),
    ...Object.fromEntries(
      model.methods.map((method) => [
        `reference/pages/ledger/${method.name}.html`,
        methodPage(method, model, types),
      ]),
    ),
    ...Object.fromEntries(
      model.subscriptions.map((item) => [
        `reference/pages/ledger/${item.name}.html`,
        subscriptionPage(item, model, types),
      ]),
    ),
  };
};

const groupsOf = ({ methods, subscriptions, presentation }: LedgerModel): readonly Group[] =>
  [
    ...[...tagTitles(presentation)].map(([tag, title]) => ({
      title,
      entries: methods
        .filter((method) => method.tag === tag)
        .map(({ name, summary }) => ({ name, summary, words: title })),
    })),
    {
      title: SUBSCRIPTIONS,
      entries: subscriptions.map(({ name, summary, notification }) => ({
        name,
        summary,
        words: `WebSocket live ${notification.name}`,
      })),
    },
  ].filter(({ entries }) => entries.length > 0);

const methodPage = (method: Method, model: LedgerModel, types: Types): string => {
  const { result } = method;
  const type = resultType(result.schema);
  const [first] = method.examples;
  const params = first?.params ?? [];
  return callPage({
    section: 'ledger',
    group: tagTitles(model.presentation).get(method.tag) ?? method.tag,
    title: method.name,
    lead: leadOf(method),
    facts: methodFacts(method),
    text: [
      part('params', 'Params', paramList(method, model, types)),
      part('result', 'Result', [
        paragraph(resultText(result.description, resultLimit(method, model))),
        typeBlock(type, types),
      ]),
      part('errors', 'Errors', errorsOf(method, model)),
    ],
    side: callPanel({
      kind: 'method',
      name: method.name,
      snippet: { kind: 'method', ...PLACED, method: method.name, params },
      examples: method.examples.map((example) => methodExample(method, example, model)),
      fields: rpcFields('Request', requestOf(method, params), 'Run'),
      data: {},
      credential: 'api-key',
    }),
    more: typeSection([type, paramTypes(method)], types),
  });
};

const subscriptionPage = (item: Subscription, model: LedgerModel, types: Types): string => {
  const { notification } = item;
  const type = resultType(notification.schema);
  const params = item.examples[0]?.params ?? [];
  const callable = { ...item, examples: [] };
  const { name: reply } = model.common.reply;
  return callPage({
    section: 'ledger',
    group: SUBSCRIPTIONS,
    title: item.name,
    lead: leadOf(item),
    facts: subscriptionFacts(item),
    text: [
      part('params', 'Params', paramList(callable, model, types)),
      part('reply', 'Reply', paragraph(model.common.reply.description ?? '')),
      part('notification', notification.name, [
        paragraph(notification.description ?? ''),
        html`<p><code>params.result</code> of the message; <code>params.${reply}</code> is the id of the reply.</p>`,
        typeBlock(type, types),
      ]),
      part('end', item.unsubscribe, paragraph(leadOf(unsubscribeOf(item, model.common)))),
      part('gaps', model.common.gap.name, paragraph(model.common.gap.description ?? '')),
      part('errors', 'Errors', errorsOf(callable, model)),
    ],
    side: callPanel({
      kind: 'subscription',
      name: item.name,
      snippet: {
        kind: 'subscription',
        ...PLACED,
        url: PLACED.url.replace('http', 'ws'),
        method: item.name,
        params,
      },
      examples: item.examples.map((example) => subscriptionExample(item, example, model)),
      fields: rpcFields('Message', requestOf(callable, params), 'Subscribe'),
      data: {},
      credential: 'api-key',
    }),
    more: typeSection([type, paramTypes(callable)], types),
  });
};

const PLACED = { url: PLACEHOLDERS.url + PLACEHOLDERS.rpcPath, apiKey: PLACEHOLDERS.apiKey };

const leadOf = ({ summary, description }: Pick<Callable, 'summary' | 'description'>): string =>
  `${summary}${description === undefined ? '' : ` ${description.trim()}`}`;

const paragraph = (text: string): Content => (text === '' ? undefined : html`<p>${prose(text)}</p>`);

const rpcFields = (label: string, request: object, button: string): Content => [
  html`<div class="field" id="network-field" hidden><label for="network">Network</label><select id="network"></select></div>`,
  jsonField(label, printed(request)),
  runButton(button),
];

const paramList = (method: Callable, model: LedgerModel, types: Types): Html =>
  rowList(
    paramRows(method, model).map(({ name, schema, optional, text, hops }) => ({
      name,
      type: linked(brief(schema, (title) => title).replaceAll('`', ''), types),
      isRequired: !optional,
      text,
      depth: hops.length,
    })),
  );

const paramTypes = ({ params }: Callable): string => params.map(({ schema }) => titlesIn(schema)).join(' ');

const titlesIn = (schema: Schema): string => brief(schema, (title) => title) + (schema.$ref ?? '');

const errorsOf = (method: Callable, model: LedgerModel): Content => [
  errorList(
    errorNamesOf(method, model).flatMap((name) => {
      const error = model.errors.get(name);
      return error === undefined
        ? []
        : [{ name, code: error.jsonrpc.code, message: error.jsonrpc.message, meaning: error.summary }];
    }),
  ),
  html`<p class="muted">Wrong params answer -32602. What any call can answer is among <a href="./docs/errors">all errors</a>.</p>`,
];

const methodExample = (method: Method, example: Example, model: LedgerModel): ShownExample => {
  const reply = replyOf(example, model);
  return {
    name: example.name,
    request: printed(requestOf(method, example.params)),
    answers: [
      reply === undefined
        ? html`<h3>Answer</h3><p>${prose(`An error: \`${example.error}\`.`)}</p>`
        : exampleBlock('Answer', printed(reply)),
    ],
  };
};

const subscriptionExample = (
  item: Subscription,
  example: SubscriptionExample,
  model: LedgerModel,
): ShownExample => {
  const { name, params, result, notifications = [], error } = example;
  return {
    name,
    request: printed(requestOf({ ...item, examples: [] }, params)),
    answers:
      error === undefined
        ? [
            exampleBlock('Reply', printed({ jsonrpc: '2.0', result, id: 1 })),
            ...notifications.map((value) =>
              exampleBlock('Notification', printed(notice(item, model.common, result, value))),
            ),
          ]
        : [html`<h3>Reply</h3><p>${prose(`An error: \`${error}\`.`)}</p>`],
  };
};

/** A type as code, in which the names of other types lead to them. */
const typeBlock = (type: string, types: Types): Html => codeBlock(linked(indentCode(type), types));

const NAMES = /\b[A-Z]\w+\b/g;

/** Comments stay as they are: a word in one is no name. */
const linked = (code: string, types: Types): Html =>
  html`${code
    .split(/(\/\*\*.*?\*\/)/gs)
    .map((piece) =>
      piece.startsWith('/**')
        ? html`<span class="comment">${piece}</span>`
        : piece
            .split(/\b([A-Z]\w+)\b/)
            .map((word, index) =>
              index % 2 === 1 && types.has(word) ? html`<a href="#type-${word}">${word}</a>` : word,
            ),
    )}`;

/** The types that some code names, and those that they name in turn. */
const typeSection = (roots: readonly string[], types: Types): Content => {
  const reached = new Map<string, Declaration>();
  const visit = (code: string): void => {
    for (const [name] of code.replaceAll(/\/\*\*.*?\*\//gs, '').matchAll(NAMES)) {
      const type = types.get(name);
      if (type === undefined || reached.has(name)) continue;
      reached.set(name, type);
      visit(type.type);
    }
  };
  for (const root of roots) visit(root);
  if (reached.size === 0) return undefined;
  return part('types', 'Types', [
    html`<p class="muted">As TypeScript. u64, i64 and usize are <code>bigint</code> there, and JSON integers on the wire.</p>`,
    [...reached.values()].map(
      ({ name, description, type }) =>
        html`<section class="type" id="type-${name}"><h3><code>${name}</code></h3>${paragraph(description ?? '')}${typeBlock(type, types)}</section>`,
    ),
  ]);
};

/** The answer to an example; undefined for an error whose message depends on the call. */
const replyOf = (example: Example, model: LedgerModel): JsonObject | undefined => {
  const outcome = outcomeOf(example, model);
  return outcome && { jsonrpc: '2.0', ...outcome, id: 1 };
};

const outcomeOf = ({ result, error, context = {} }: Example, model: LedgerModel): JsonObject | undefined => {
  if (error === undefined) return { result: result ?? null };
  const entry = model.errors.get(error);
  if (entry === undefined || !isFilledBy(entry, context)) return undefined;
  const { code, message } = entry.jsonrpc;
  const data = Object.fromEntries(entry.data.map((member) => [member, context[member] ?? null]));
  return {
    error: {
      code,
      message: message.replace(/\{(\w+)\}/g, (_, name: string) => String(context[name])),
      ...(entry.data.length > 0 && { data }),
    },
  };
};

const isFilledBy = ({ data, dataSchema, context: names }: ErrorModel, context: JsonObject): boolean =>
  dataSchema === undefined && [...data, ...Object.keys(names)].every((name) => context[name] !== undefined);
