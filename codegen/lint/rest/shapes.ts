import { closed, count, named, schema, text } from '../shape-parts.ts';

const texts = { type: 'array', items: text, uniqueItems: true };

/** Our subset of JSON Schema 2020-12 with the x- keywords of the wallet documents. */
const definitions = {
  schema: closed([], {
    $ref: text,
    title: { type: 'string', pattern: '^[A-Z][A-Za-z0-9]*$' },
    description: text,
    type: { enum: ['boolean', 'integer', 'string', 'array', 'object'] },
    enum: { type: 'array', minItems: 1 },
    const: true,
    default: true,
    examples: { type: 'array', minItems: 1 },
    properties: named(schema),
    required: texts,
    additionalProperties: { const: false },
    items: schema,
    minItems: count,
    maxItems: count,
    anyOf: { type: 'array', minItems: 1, items: schema },
    dependentRequired: named(texts),
    minimum: { type: 'integer' },
    maximum: { type: 'integer' },
    minLength: count,
    maxLength: count,
    pattern: text,
    'x-base58': { enum: [32, 64] },
    'x-secret': { const: true },
    'x-well-formed': { const: true },
    'x-printable': { enum: [true, 'lines'] },
    'x-guard': { const: true },
    'x-limit': { ...named(text), propertyNames: { enum: ['minimum', 'maximum', 'minLength', 'maxLength'] } },
    'x-conflicts': {
      type: 'array',
      minItems: 1,
      items: closed(['member', 'with', 'reason'], { member: text, with: named(text), reason: text }),
    },
    'x-last-index': closed(['from', 'count'], { from: text, count: text }),
    'x-max-bytes': { type: 'integer', minimum: 1 },
  }),
};

/** A file of wallets/schemas/. */
export const SCHEMA_SHAPE = { ...schema, definitions };

const header = closed(['description', 'schema', 'example'], {
  description: text,
  schema,
  example: true,
});

/** wallets/openapi.yaml. */
export const HEAD_SHAPE = {
  definitions,
  ...closed(
    ['openapi', 'info', 'servers', 'tags', 'security', 'components', 'x-scopes', 'x-errors', 'x-headers'],
    {
      openapi: { type: 'string', pattern: '^3[.]1[.]' },
      info: { type: 'object', required: ['title', 'version', 'description'] },
      servers: { type: 'array', minItems: 1, items: { type: 'object', required: ['url'] } },
      tags: {
        type: 'array',
        minItems: 1,
        items: closed(['name', 'x-tag'], { name: text, description: text, 'x-tag': text }),
      },
      security: { type: 'array', minItems: 1 },
      components: closed(['securitySchemes', 'headers', 'parameters'], {
        securitySchemes: { type: 'object' },
        headers: named(header),
        parameters: named(header),
      }),
      'x-scopes': named(text),
      'x-roles': named(closed(['description', 'scopes'], { description: text, scopes: texts })),
      'x-errors': closed(['every'], {
        every: texts,
        public: texts,
        token: texts,
        session: texts,
        sessionOnly: texts,
        role: texts,
        fresh: texts,
        query: texts,
        body: texts,
        idempotent: texts,
        rate: texts,
        price: texts,
      }),
      'x-headers': named(texts),
    },
  ),
};

const provocation = closed([], {
  name: text,
  condition: text,
  token: text,
  session: text,
  id: text,
  headers: named(text),
  query: named(text),
  body: true,
  with: { type: 'object' },
  text,
  bytes: { type: 'string', pattern: '^([0-9a-f]{2})+$' },
  before: closed([], { body: true }),
  pointer: { type: 'string' },
});
const provocations = named({ type: 'array', minItems: 1, items: provocation });

/** wallets/scenario.yaml. */
export const SCENARIO_SHAPE = closed(['values', 'conditions', 'provoke'], {
  values: named(text),
  conditions: named(text),
  provoke: provocations,
});

/** account/events.yaml. */
export const EVENTS_SHAPE = {
  definitions,
  ...closed(['audit', 'actions', 'events'], {
    audit: schema,
    actions: named(text),
    events: named(closed(['summary', 'data'], { summary: text, data: schema })),
  }),
};

/** A file of wallets/operations/. */
export const OPERATION_SHAPE = {
  definitions,
  ...closed(
    [
      ...['operationId', 'method', 'path', 'tag', 'summary', 'description'],
      ...['x-origin', 'x-scopes', 'x-audit', 'responses'],
    ],
    {
      operationId: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
      method: { enum: ['get', 'post', 'delete'] },
      path: { type: 'string', pattern: '^(/account)?/v1/[a-z/-]+(\\{id\\})?[a-z/-]*$' },
      id: schema,
      tag: text,
      summary: text,
      description: text,
      'x-origin': { enum: ['given', 'chosen'] },
      'x-auth': { type: 'array', items: { enum: ['token', 'session'] }, uniqueItems: true },
      'x-scopes': texts,
      'x-roles': { ...texts, minItems: 1 },
      'x-fresh': { const: true },
      'x-audit': { type: 'string', pattern: '^[a-z]+([._][a-z]+)*$' },
      'x-price': { ...texts, minItems: 1 },
      'x-rate': text,
      'x-idempotent': { const: true },
      'x-live': provocation,
      'x-examples': named({ type: 'object' }),
      'x-provoke': provocations,
      parameters: texts,
      query: schema,
      requestBody: closed(['schema', 'examples'], {
        schema,
        examples: {
          ...named(
            closed(['summary', 'value'], { summary: text, value: { type: 'object' }, live: provocation }),
          ),
          minProperties: 1,
        },
      }),
      responses: {
        type: 'object',
        additionalProperties: false,
        patternProperties: {
          '^2\\d\\d$': closed(['description', 'content'], {
            description: text,
            headers: texts,
            content: {
              ...named({
                ...closed(['examples'], {
                  schema,
                  'x-item-schema': schema,
                  examples: { type: 'object', minProperties: 1 },
                }),
                oneOf: [{ required: ['schema'] }, { required: ['x-item-schema'] }],
              }),
              minProperties: 1,
            },
          }),
          '^[45]\\d\\d$': closed(['errors'], { errors: { ...texts, minItems: 1 } }),
        },
      },
    },
  ),
};
