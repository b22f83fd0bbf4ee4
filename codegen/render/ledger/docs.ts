import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { type Example, type Method, TAGS } from '../../model/method.ts';
import { resultLimit } from '../../model/param-parts.ts';
import { indentCode } from '../../text.ts';
import { block, HEADER, refusal, requestOf, typeLink, typedResult } from './doc-parts.ts';
import { renderSubscriptionPages, subscriptionSection } from './subscription-docs.ts';
import { cell, errorTable, paramTable } from './tables.ts';
import { declareTypes } from './types.ts';

/** docs/ledger/: one page per method, subscription and type, and the index. */
export const renderDocs = (model: LedgerModel): Files => ({
  'docs/ledger/index.md': `${HEADER}# JSON-RPC methods\n\n${TAGS.map((tag) => section(tag, model)).join('')}${subscriptionSection(model)}`,
  ...typePages(model),
  ...Object.fromEntries(
    model.methods.map((method) => [`docs/ledger/${method.name}.md`, page(method, model)]),
  ),
  ...renderSubscriptionPages(model),
});

const section = (tag: string, { methods }: LedgerModel): string => {
  const rows = methods.filter((method) => method.tag === tag);
  if (rows.length === 0) return '';
  return `## ${tag}\n\n| method | |\n|---|---|\n${rows.map(({ name, summary }) => `| [${name}](${name}.md) | ${cell(summary)} |\n`).join('')}\n`;
};

const page = (method: Method, model: LedgerModel): string =>
  [
    `${HEADER}# ${method.name}\n`,
    `${method.summary}${method.description === undefined ? '' : ` ${method.description.trim()}`}\n`,
    `${methodFacts(method).join(' ')}\n`,
    '## Params\n',
    paramTable(method, model, typeLink),
    '## Result\n',
    result(method, model),
    '## Errors\n',
    errorTable(method, model),
    ...(method.examples.length > 0
      ? ['## Examples\n', method.examples.map((item) => example(method, item, model)).join('\n')]
      : []),
  ].join('\n');

/** What is known of a method besides its params and its result, a sentence each. */
export const methodFacts = ({ cost, group, origin, refusedIn, since }: Method): readonly string[] => [
  `Weight ${cost}.`,
  `Group ${group}.`,
  origin === 'given' ? 'Given by the interface.' : 'Chosen by us.',
  ...Object.entries(refusedIn).map(([environment, error]) => `Refused on ${environment} (${error}).`),
  ...(since === undefined ? [] : [`Nodes have it since Agave ${since}.`]),
];

const result = (method: Method, model: LedgerModel): string =>
  typedResult(method.result, resultLimit(method, model), model);

/** docs/ledger/types/<type>.md: the types that the pages of the methods name. */
const typePages = (model: LedgerModel): Files =>
  Object.fromEntries(
    declareTypes(model).declarations.map(({ name, description, type }) => [
      `docs/ledger/types/${name}.md`,
      `${HEADER}# ${name}\n\n${description === undefined ? '' : `${description.trim()}\n\n`}As TypeScript; u64, i64 and usize are bigint there, JSON integers on the wire.\n\n\`\`\`ts\n${indentCode(`type ${name} = ${type}`)}\n\`\`\`\n`,
    ]),
  );

const example = (
  method: Method,
  { name, params, result: value, error }: Example,
  model: LedgerModel,
): string => {
  const entry = error === undefined ? undefined : model.errors.get(error);
  const answer = entry ? refusal(entry) : block(value);
  return `### ${name}\n\n${block(requestOf(method, params))}\n${answer}`;
};
