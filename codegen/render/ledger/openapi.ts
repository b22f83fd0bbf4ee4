import type { Files } from '../../area.ts';
import { isJsonObject, type Json, type JsonObject, printDocument } from '../../json.ts';
import type { ErrorModel } from '../../model/errors.ts';
import { type LedgerModel, tagTitles } from '../../model/ledger.ts';
import type { Method } from '../../model/method.ts';
import { resultLimit } from '../../model/param-parts.ts';
import { reachedFrom } from '../../model/reach.ts';
import { mapSchema, type Schema, type Schemas } from '../../model/schema.ts';
import type { IntKind } from '../../../runtime/int-kinds.ts';
import { replyExamples, requestExamples } from './openapi-examples.ts';
import { publishedParam, publishedSchemas } from './published-schema.ts';
import { splitParts } from './split-document.ts';
import { errorTable, paramTable } from './tables.ts';

/**
 * ledger/openapi.json: the methods as OpenAPI operations, for the reference page; and the files below ledger/openapi/ that it refers to:
 * one per method and per schema. OpenAPI has one POST per path, so each method has a path of its own, `/#getBalance`: a fragment, which
 * is not part of a request (RFC 9110, section 4.2.5).
 */
export const renderOpenapi = (model: LedgerModel): Files => {
  const { components, ...head } = model.presentation;
  const methods = splitParts(
    'openapi',
    Object.fromEntries(model.methods.map((method) => [method.name, { post: operation(method, model) }])),
  );
  const schemas = splitParts(
    'openapi/schemas',
    Object.fromEntries([...shownSchemas(model)].map(([title, schema]) => [title, shown(schema)])),
  );
  return {
    'ledger/openapi.json': printDocument({
      ...head,
      paths: Object.fromEntries(
        Object.entries(methods.references).map(([name, reference]) => [`/#${name}`, reference]),
      ),
      components: {
        ...(isJsonObject(components) ? components : {}),
        schemas: { ...schemas.references, ErrorReply: ERROR_REPLY },
        responses: { Refused: refusals('4', model), Failed: refusals('5', model) },
      },
    }),
    ...methods.files,
    ...schemas.files,
  };
};

/** The schema files that methods use; those of subscriptions alone are in the OpenRPC document. */
const shownSchemas = (model: LedgerModel): Schemas => {
  const used = model.methods.flatMap(({ params, result }) => [
    ...params.map(({ schema }) => schema),
    result.schema,
  ]);
  const reached = new Set(used.flatMap((schema) => [...reachedFrom(schema, model.schemas).keys()]));
  return new Map([...publishedSchemas(model)].filter(([title]) => reached.has(title)));
};

const operation = (method: Method, model: LedgerModel): JsonObject => ({
  operationId: method.name,
  tags: [tagTitles(model.presentation).get(method.tag) ?? method.tag],
  summary: method.summary,
  description: description(method, model),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: requestSchema(method), examples: requestExamples(method) },
    },
  },
  responses: {
    200: {
      description: 'The answer to the call: its result, or an error of the call.',
      content: {
        'application/json': { schema: replySchema(method), examples: replyExamples(method, model) },
      },
    },
    '4XX': { $ref: '#/components/responses/Refused' },
    '5XX': { $ref: '#/components/responses/Failed' },
  },
  'x-cost': method.cost,
});

const description = (method: Method, model: LedgerModel): string => {
  const limit = resultLimit(method, model);
  const facts = [
    `Weight in a plan: ${method.cost}.`,
    ...(method.retry === 'never' ? ['Sending it twice may act twice.'] : []),
    ...Object.entries(method.refusedIn).map(
      ([environment, error]) => `Refused on ${environment} (${error}).`,
    ),
    ...(limit === undefined ? [] : [`The result has ${limit}.`]),
    ...(method.origin === 'chosen' ? ['Not in the given interface: added because wallets need it.'] : []),
  ];
  return [
    ...(method.description === undefined ? [] : [method.description.trim()]),
    facts.join(' '),
    // A | ends the cell here: this viewer's Markdown has no escape for it.
    `#### Params\n\n${paramTable(method, model, (title) => `\`${title}\``).replaceAll(' \\| ', ' or ')}`,
    `#### Errors\n\n${errorTable(method, model)}`,
  ].join('\n\n');
};

const ID = {
  description: 'Chosen by the caller; comes back with the answer.',
  type: ['integer', 'string', 'null'],
};

const requestSchema = ({ name, params, minParams }: Method): JsonObject => ({
  type: 'object',
  required: ['jsonrpc', 'id', 'method', ...(minParams > 0 ? ['params'] : [])],
  properties: {
    jsonrpc: { const: '2.0' },
    id: ID,
    method: { const: name },
    params:
      params.length === 0
        ? { type: 'array', maxItems: 0, items: {} }
        : {
            type: 'array',
            minItems: minParams,
            maxItems: params.length,
            items: {},
            prefixItems: params.map((param) =>
              positional(param.name, param.description, shown(publishedParam(param))),
            ),
          },
  },
});

/** A param's name is its title, because positions have no names. */
const positional = (title: string, description: string | undefined, schema: JsonObject): JsonObject => ({
  title,
  ...(description !== undefined && { description }),
  allOf: [schema],
});

const replySchema = ({ result }: Method): JsonObject => ({
  anyOf: [
    {
      title: 'Result',
      type: 'object',
      required: ['jsonrpc', 'result', 'id'],
      properties: { jsonrpc: { const: '2.0' }, result: shown(result.schema), id: ID },
    },
    { $ref: '#/components/schemas/ErrorReply' },
  ],
});

const ERROR_REPLY: JsonObject = {
  title: 'ErrorReply',
  type: 'object',
  required: ['jsonrpc', 'error', 'id'],
  properties: {
    jsonrpc: { const: '2.0' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer' },
        message: { type: 'string' },
        data: { description: 'What the error is about: the parameter, its limit and its value.' },
      },
    },
    id: ID,
  },
};

/** The areas of the catalogue whose errors a call can get as an HTTP status. */
const REFUSING_AREAS: readonly string[] = ['access', 'upstream'];

const refusals = (digit: string, { errors }: LedgerModel): JsonObject => {
  const refusing = [...errors.values()]
    .filter(({ area, http }) => REFUSING_AREAS.includes(area) && String(http).startsWith(digit))
    .sort((a, b) => a.http - b.http);
  return {
    description:
      digit === '4'
        ? 'The request was refused before it reached a ledger node; each example is one reason.'
        : 'No ledger node answered; each example is one reason.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorReply' },
        examples: Object.fromEntries(refusing.map(refusalExample)),
      },
    },
  };
};

const refusalExample = ({ name, http, summary, jsonrpc }: ErrorModel): readonly [string, Json] => [
  name,
  {
    summary: `${http} ${name}: ${summary}`,
    value: { jsonrpc: '2.0', error: { code: jsonrpc.code, message: jsonrpc.message }, id: null },
  },
];

const FORMATS: Readonly<Record<IntKind, string>> = {
  u8: 'uint8',
  u16: 'uint16',
  u32: 'uint32',
  u64: 'uint64',
  i16: 'int16',
  i64: 'int64',
  usize: 'uint64',
};

/**
 * A schema for readers: integers by their format (a bound beyond 2^53 would be shown rounded), without our keywords. Linters want a schema
 * of items in every list: the length of a tuple excludes further items.
 */
const shown = (schema: Schema): JsonObject => {
  const whole = mapSchema(schema, (part) => {
    const { 'x-int': kind, prefixItems, items, maxItems } = part;
    const kept = Object.fromEntries(Object.entries(part).filter(([keyword]) => !keyword.startsWith('x-')));
    return Object.assign(kept, {
      ...(kind !== undefined && { format: FORMATS[kind] }),
      ...(prefixItems && items === false && { items: {}, maxItems: maxItems ?? prefixItems.length }),
    });
  });
  return JSON.parse(JSON.stringify(whole)) as JsonObject;
};
