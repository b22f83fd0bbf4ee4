import { METHOD_GROUPS, TAGS } from '../model/method.ts';
import { GRPC_STATUSES } from '../model/errors.ts';
import { PROVOCATIONS, REFILLS } from '../model/subscription.ts';
import { FALLBACKS } from '../model/schema.ts';
import { INT_KINDS } from '../../runtime/int-kinds.ts';
import { closed, count, named, schema, text } from './shape-parts.ts';

/** `4.4`: major and minor version of Agave. */
const nodeVersion = { type: 'string', pattern: '^[0-9]+[.][0-9]+$' };

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
    'x-tagged': { const: true },
    'x-since': { anyOf: [nodeVersion, named(nodeVersion)] },
    'x-fallback': { enum: FALLBACKS },
    'x-versions': { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'integer' } },
  }),
};

/** A file of ledger/schemas/. */
export const SCHEMA_SHAPE = { ...schema, definitions };

const live = closed([], {
  params: { type: 'array' },
  result: true,
  error: text,
  context: named({ type: ['string', 'integer'] }),
  setup: true,
});

const paramsShape = {
  type: 'array',
  items: closed(['name', 'schema'], {
    name: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
    description: text,
    required: { type: 'boolean' },
    schema,
  }),
};

const exampleShape = {
  name: text,
  params: { type: 'array' },
  result: true,
  error: text,
  context: { type: 'object' },
  'x-live': live,
};

const errorNames = { type: 'array', items: text, uniqueItems: true };

/** A file of ledger/methods/. */
export const METHOD_SHAPE = {
  definitions,
  ...closed(['name', 'summary', 'tags', 'x-origin', 'x-group', 'x-cost', 'x-cache', 'result'], {
    name: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*([._][a-z][A-Za-z0-9]*)?$' },
    summary: text,
    description: text,
    tags: { type: 'array', minItems: 1, maxItems: 1, items: { enum: TAGS } },
    'x-origin': { enum: ['given', 'chosen'] },
    'x-group': { enum: METHOD_GROUPS },
    'x-cost': { type: 'integer', minimum: 1 },
    'x-cache': { enum: ['none', 'slot', 'immutable', 'final'] },
    'x-retry': { const: 'never' },
    'x-served': { const: 'gateway' },
    'x-guard': { const: true },
    'x-since': nodeVersion,
    'x-answers': { enum: ['slot', 'height', 'epoch'] },
    'x-history': { enum: ['slot', 'signature', 'signatures', 'address'] },
    'x-refused-in': named(text),
    'x-span': closed(['from', 'to', 'maximum', 'error'], {
      from: text,
      to: text,
      maximum: { type: 'integer' },
      error: text,
    }),
    params: paramsShape,
    result: closed(['name', 'schema'], {
      name: text,
      description: text,
      'x-context': { const: true },
      schema,
    }),
    errors: errorNames,
    examples: {
      type: 'array',
      items: closed(['name', 'params'], { ...exampleShape, 'x-since': nodeVersion }),
    },
  }),
};

const sent = { name: text, description: text, schema };

const subscriptionExamples = {
  type: 'array',
  items: closed(['name', 'params'], {
    ...exampleShape,
    notifications: { type: 'array', minItems: 1 },
    'x-live': closed([], { params: { type: 'array' }, by: { enum: PROVOCATIONS }, notification: true }),
  }),
};

/** A file of ledger/subscriptions/. */
export const SUBSCRIPTION_SHAPE = {
  definitions,
  ...closed(['name', 'summary', 'x-origin', 'x-cost', 'x-refill', 'unsubscribe', 'notification'], {
    name: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*Subscribe$' },
    summary: text,
    description: text,
    'x-origin': { enum: ['given', 'chosen'] },
    'x-cost': { type: 'integer', minimum: 1 },
    'x-refill': { enum: REFILLS },
    'x-congested': { const: 'latest' },
    'x-ends-itself': { type: 'array', minItems: 1, items: text },
    'x-nodes': { const: 'some' },
    'x-since': nodeVersion,
    unsubscribe: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*Unsubscribe$' },
    params: paramsShape,
    notification: closed(['name', 'schema'], { ...sent, 'x-context': { const: true } }),
    errors: errorNames,
    examples: subscriptionExamples,
  }),
};

/** ledger/subscriptions.yaml. */
export const COMMON_SHAPE = {
  definitions,
  ...closed(['reply', 'unsubscribe', 'gap', 'errors'], {
    reply: closed(['name', 'schema'], sent),
    unsubscribe: closed(['summary', 'x-cost', 'params', 'result', 'errors', 'examples'], {
      summary: text,
      description: text,
      'x-cost': { type: 'integer', minimum: 1 },
      params: paramsShape,
      result: closed(['name', 'schema'], sent),
      errors: errorNames,
      examples: subscriptionExamples,
    }),
    gap: closed(['name', 'schema', 'examples'], { ...sent, examples: { type: 'array', minItems: 1 } }),
    errors: errorNames,
  }),
};

/** ledger/reference.yaml: every tag has its title there. */
export const PRESENTATION_SHAPE = closed(['description', 'groups'], {
  description: text,
  groups: {
    type: 'array',
    items: closed(['title', 'tag'], { title: text, tag: { enum: TAGS } }),
    allOf: TAGS.map((tag) => ({ contains: { properties: { tag: { const: tag } } } })),
  },
});

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
    grpc: closed(['status'], { status: { enum: GRPC_STATUSES }, message: text }),
    close: closed(['code', 'reason'], {
      code: { type: 'integer', minimum: 1000, maximum: 4999 },
      reason: { ...text, maxLength: 100 },
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
