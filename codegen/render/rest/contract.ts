import type { Files } from '../../area.ts';
import { statusOf } from '../../model/errors.ts';
import { refTitle } from '../../model/schema.ts';
import type { Operation } from '../../model/rest/operation.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { namesOf } from '../../model/rest/service.ts';
import { docComment, HEADER, literal, quote } from '../../text.ts';

/** contract.ts: the operations as a @ts-rest/core contract, which carries the types; nothing in it validates. */
export const renderTsRestContract = ({ operations, service }: RestModel): Files => ({
  [`${service.folder}/contract.ts`]: `${HEADER}import { initContract } from '@ts-rest/core';
import type { operations, ${typesUsed(operations).join(', ')} } from './types.ts';

/** A stream on its way out: the bytes of JSONL or CSV. */
export type StreamBody = AsyncIterable<Uint8Array>;

const c = initContract();

/** The operations of the ${service.title.toLowerCase()}. Statuses that are not here are not answered. */
export const ${namesOf(service).lower}Contract = c.router(
{
${operations.map(route).join('')}},
{ strictStatusCodes: true },
);
`,
});

const route = (operation: Operation): string => {
  const { id, method, path, summary, body, query } = operation;
  return `${docComment(summary)}${id}: {
method: ${quote(method.toUpperCase())},
path: ${quote(path.replaceAll(/\{(\w+)\}/g, ':$1'))},
summary: ${quote(summary)},
${path.includes('{') ? `pathParams: c.type<operations['${id}']['parameters']['path']>(),\n` : ''}${
  body ? `body: c.type<${bodyType(operation)}>(),\n` : method === 'get' ? '' : 'body: c.noBody(),\n'
}${query ? `query: c.type<${queryType(operation)}>(),\n` : ''}responses: {
${operation.success.status}: c.type<${answerType(operation)}>(),
${errorStatuses(operation)
  .map(
    (status) =>
      `${status}: c.otherResponse({ contentType: 'application/problem+json', body: c.type<Problem>() }),\n`,
  )
  .join('')}},
metadata: ${literal({ scopes: operation.scopes, prices: operation.prices, rate: operation.rate })},
},
`;
};

const errorStatuses = ({ errors }: Operation): readonly number[] => [
  ...new Set(errors.map(({ error }) => statusOf(error))),
];

const bodyType = ({ body }: Operation): string => refTitle(body?.schema.$ref ?? '');

const queryType = ({ query }: Operation): string => refTitle(query?.$ref ?? '');

const answerType = ({ success }: Operation): string =>
  [
    ...success.content.flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [refTitle(schema.$ref)])),
    ...(success.content.some(({ itemSchema }) => itemSchema) ? ['StreamBody'] : []),
  ].join(' | ');

const typesUsed = (operations: readonly Operation[]): readonly string[] =>
  [
    ...new Set([
      'Problem',
      ...operations.flatMap((operation) => [
        ...(operation.body ? [bodyType(operation)] : []),
        ...(operation.query ? [queryType(operation)] : []),
        ...answerType(operation).split(' | '),
      ]),
    ]),
  ]
    .filter((name) => name !== 'StreamBody')
    .sort();
