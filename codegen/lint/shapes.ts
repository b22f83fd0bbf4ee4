import { TAGS } from '../model/method.ts';
import { INT_KINDS } from '../model/schema.ts';
import { closed, count, named, schema, text } from './shape-parts.ts';

const textOrPair = { anyOf: [text, { type: 'array', items: text, minItems: 2, maxItems: 2 }] };

/** Our subset of JSON Schema 2020-12 with its x- keywords. */
const definitions = {
  schema: closed([], {
    $ref: text,
    title: { type: 'string', pattern: '^[A-Z][A-Za-z0-9]*$' },
    description: text,
    type: { enum: ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] },
    enum: { type: 'array', minItems: 1 },
    const: true,
    default: true,
    examples: { type: 'array' },
    properties: named(schema),
    required: { type: 'array', items: text, uniqueItems: true },
    additionalProperties: { anyOf: [{ const: false }, { const: true }, schema] },
    items: { anyOf: [{ const: false }, schema] },
    prefixItems: { type: 'array', minItems: 1, items: schema },
    anyOf: { type: 'array', minItems: 1, items: schema },
    not: {
      anyOf: [
        closed(['enum'], { enum: { type: 'array', minItems: 1 } }),
        closed(['properties', 'required'], {
          properties: named(closed(['const'], { const: { const: true } })),
          required: { type: 'array', minItems: 2, items: text },
        }),
      ],
    },
    minimum: { type: 'integer' },
    maximum: { type: 'integer' },
    minItems: count,
    maxItems: count,
    minLength: count,
    maxLength: count,
    pattern: text,
    'x-int': { enum: INT_KINDS },
    'x-base58': { enum: [32, 64] },
    'x-expected': text,
    'x-errors': named(textOrPair),
    'x-lenient': named(text),
    'x-map': { const: true },
  }),
};

/** A file of ledger/schemas/. */
export const SCHEMA_SHAPE = { ...schema, definitions };

const live = closed([], { params: { type: 'array' }, error: text, setup: true });

/** A file of ledger/methods/. */
export const METHOD_SHAPE = {
  definitions,
  ...closed(['name', 'summary', 'tags', 'x-origin', 'x-cost', 'x-cache', 'result'], {
    name: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*([.][a-z][A-Za-z0-9]*)?$' },
    summary: text,
    description: text,
    tags: { type: 'array', minItems: 1, maxItems: 1, items: { enum: TAGS } },
    'x-origin': { enum: ['given', 'chosen'] },
    'x-cost': { type: 'integer', minimum: 1 },
    'x-cache': { enum: ['none', 'slot', 'immutable', 'final'] },
    'x-retry': { const: 'never' },
    'x-served': { const: 'gateway' },
    'x-guard': { const: true },
    'x-refused-in': named(text),
    'x-span': closed(['from', 'to', 'maximum', 'error'], {
      from: text,
      to: text,
      maximum: { type: 'integer' },
      error: text,
    }),
    params: {
      type: 'array',
      items: closed(['name', 'schema'], {
        name: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
        description: text,
        required: { type: 'boolean' },
        schema,
      }),
    },
    result: closed(['name', 'schema'], {
      name: text,
      description: text,
      'x-context': { const: true },
      schema,
    }),
    errors: { type: 'array', items: text, uniqueItems: true },
    examples: {
      type: 'array',
      items: closed(['name', 'params'], {
        name: text,
        params: { type: 'array' },
        result: true,
        error: text,
        context: { type: 'object' },
        'x-live': live,
      }),
    },
  }),
};

/** ledger/openapi.yaml: OpenAPI's own, except that every tag of ours has its title there. */
export const PRESENTATION_SHAPE = {
  type: 'object',
  required: ['openapi', 'info', 'servers', 'tags'],
  properties: {
    tags: {
      type: 'array',
      items: closed(['name', 'x-tag'], { name: text, 'x-tag': { enum: TAGS } }),
      allOf: TAGS.map((tag) => ({ contains: { properties: { 'x-tag': { const: tag } } } })),
    },
  },
};

/** ledger/scenario.yaml. */
export const SCENARIO_SHAPE = named(text);

/** credentials.yaml. */
export const CREDENTIALS_SHAPE = closed(['query', 'headers'], {
  query: { type: 'array', items: text },
  headers: { type: 'array', items: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' } },
});

/** errors.yaml. */
export const ERRORS_SHAPE = named(
  closed(['area', 'summary', 'http'], {
    area: text,
    summary: text,
    http: { type: 'integer', minimum: 200, maximum: 599 },
    jsonrpc: closed(['code', 'message'], {
      code: { type: 'integer', minimum: -32768, maximum: -32000 },
      message: text,
    }),
    problem: closed(['title', 'detail'], {
      title: text,
      detail: text,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      example: { type: 'object' },
    }),
    context: named({ enum: ['integer', 'string', 'fieldProblems'] }),
    data: { type: 'array', items: text, uniqueItems: true },
    dataSchema: closed(['$ref'], { $ref: text }),
  }),
);

/** config.yaml: our schema subset with the keywords of settings. */
export const CONFIG_SHAPE = {
  ...schema,
  definitions: {
    ...definitions,
    schema: {
      ...definitions.schema,
      properties: {
        ...definitions.schema.properties,
        'x-env': text,
        'x-cli': text,
        'x-secret': { const: true },
      },
    },
  },
};
