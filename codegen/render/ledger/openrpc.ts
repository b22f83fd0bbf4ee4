import type { Files } from '../../area.ts';
import { type Json, printDocument } from '../../json.ts';
import type { ErrorModel } from '../../model/errors.ts';
import { callables, fileTitle, type LedgerModel } from '../../model/ledger.ts';
import type { Callable, Example, Method } from '../../model/method.ts';
import { type Subscription, unsubscribeOf } from '../../model/subscription.ts';
import { errorNamesOf } from '../../model/param-parts.ts';
import { reachedFrom } from '../../model/reach.ts';
import { mapSchema, refTitle, refTo, type Schema, type Schemas } from '../../model/schema.ts';
import { INT_BOUNDS } from '../../../runtime/int-kinds.ts';
import { publishedParam, publishedSchemas } from './published-schema.ts';
import { splitParts } from './split-document.ts';

/** ledger/openrpc.json, and the files below ledger/openrpc/ that it refers to: one per method and per schema. */
export const renderOpenrpc = (model: LedgerModel): Files => {
  const document = openrpcDocument(model);
  const methods = splitParts(
    'openrpc',
    Object.fromEntries(document.methods.map((method) => [method.name, method])),
  );
  const schemas = splitParts('openrpc/schemas', document.components.schemas);
  return {
    'ledger/openrpc.json': printDocument({
      ...document,
      methods: Object.values(methods.references),
      components: { ...document.components, schemas: schemas.references },
    }),
    ...methods.files,
    ...schemas.files,
  };
};

/** The OpenRPC document as data. Its schemas are of draft-07 (OpenRPC 1.3, Schema Object). */
export const openrpcDocument = (model: LedgerModel) => {
  const { head, methods, subscriptions, common, schemas, errors } = model;
  const names = new Set(callables(model).flatMap((call) => errorNamesOf(call, model)));
  const answered = [...errors.values()]
    .filter(({ name }) => names.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...head,
    servers: head.servers,
    methods: [
      ...methods.map((method) => methodObject(method, model)),
      ...subscriptions.map((item) => subscribeObject(item, model)),
      ...subscriptions.map((item) => unsubscribeObject(item, model)),
    ],
    components: {
      schemas: Object.fromEntries(
        [...publishedSchemas(model)].map(([title, schema]) => [
          title,
          draft07(unrolled(title, schema, schemas)),
        ]),
      ),
      errors: Object.fromEntries(
        answered.map(({ name, jsonrpc }) => [name, { code: jsonrpc.code, message: jsonrpc.message }]),
      ),
    },
    'x-gap-notification':
      subscriptions.length === 0 ? undefined : { ...common.gap, schema: draft07(common.gap.schema) },
    'x-error-data': Object.fromEntries(answered.map((error) => [error.name, dataSchemaOf(error)])),
  };
};

/** The schema of an error's data; OpenRPC's own `data` is a value. */
const dataSchemaOf = ({ data, context, dataSchema }: ErrorModel): object | undefined => {
  if (dataSchema) return { $ref: refTo(fileTitle(dataSchema.$ref)) };
  if (data.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(data.map((member) => [member, { type: context[member] }])),
  };
};

/**
 * A schema without recursion: a reference back to it accepts anything, since tools inline every reference. For JsonValue, which accepts any
 * JSON value, that is the same.
 */
const unrolled = (title: string, schema: Schema, schemas: Schemas): Schema =>
  mapSchema(schema, (part) =>
    part.$ref !== undefined && reachedFrom({ $ref: part.$ref }, schemas).has(title)
      ? { description: `${refTitle(part.$ref)} again.` }
      : part,
  );

/** A schema in the words of draft-07: tuples by `items`, no siblings of a reference, and the bounds of x-int. */
const draft07 = (schema: Schema): object =>
  mapSchema(schema, (part) => {
    const { $ref, prefixItems, items, ...rest } = bounded(part);
    if ($ref !== undefined && Object.keys(rest).length > 0) return Object.assign(rest, { allOf: [{ $ref }] });
    if (!prefixItems) return bounded(part);
    const tuple: object = { items: prefixItems, additionalItems: items ?? true };
    return Object.assign(rest, tuple);
  });

const bounded = (part: Schema): Schema => {
  const kind = part['x-int'];
  if (kind === undefined) return part;
  const [minimum, maximum] = INT_BOUNDS[kind];
  return Object.assign({ ...part }, { minimum: part.minimum ?? minimum, maximum: part.maximum ?? maximum });
};

type Result = Method['result'];

/** A call in the document. */
const callObject = (call: Callable, tag: string, result: Result, model: LedgerModel) => ({
  name: call.name,
  summary: call.summary,
  description: call.description,
  tags: [{ name: tag }],
  paramStructure: 'by-position',
  params: call.params.map((param) => ({
    name: param.name,
    description: param.description,
    required: param.required,
    schema: draft07(publishedParam(param)),
  })),
  result: { ...result, schema: draft07(result.schema) },
  errors: errorNamesOf(call, model).map((name) => ({ $ref: `#/components/errors/${name}` })),
  examples: call.examples
    .filter(({ error }) => error === undefined)
    .map((example) => examplePairing(call, result, example)),
  'x-origin': call.origin,
  'x-cost': call.cost,
});

const methodObject = (method: Method, model: LedgerModel) => ({
  ...callObject(method, method.tag, method.result, model),
  'x-group': method.group,
  'x-cache': method.cache,
  'x-retry': method.retry,
  'x-since': method.since,
  'x-refused-in': Object.keys(method.refusedIn).length > 0 ? method.refusedIn : undefined,
  'x-span': method.span,
});

/** A subscribe call, which only a WebSocket accepts; OpenRPC cannot describe its notifications. */
const subscribeObject = (item: Subscription, model: LedgerModel) => ({
  ...callObject(item, SUBSCRIPTIONS_TAG, model.common.reply, model),
  'x-subscription': {
    unsubscribe: item.unsubscribe,
    notification: { ...item.notification, schema: draft07(item.notification.schema) },
    examples: item.examples.flatMap(({ name, notifications }) =>
      notifications === undefined ? [] : [{ name, notifications }],
    ),
    refill: item.refill,
    congested: item.congested,
    outcome: item.outcome,
    nodes: item.nodes,
  },
});

const unsubscribeObject = (item: Subscription, model: LedgerModel) => ({
  ...callObject(unsubscribeOf(item, model.common), SUBSCRIPTIONS_TAG, model.common.unsubscribe.result, model),
  'x-unsubscribes': item.name,
});

const SUBSCRIPTIONS_TAG = 'subscriptions';

const examplePairing = (call: Callable, answer: Result, { name, params, result }: Example) => ({
  name,
  params: params.map((value: Json, index) => ({ name: call.params[index]?.name ?? String(index), value })),
  result: { name: answer.name, value: result },
});
