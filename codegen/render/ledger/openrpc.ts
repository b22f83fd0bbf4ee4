import type { Files } from '../../area.ts';
import { type Json, printJson } from '../../json.ts';
import type { ErrorModel } from '../../model/errors.ts';
import { fileTitle, type LedgerModel } from '../../model/ledger.ts';
import type { Example, Method } from '../../model/method.ts';
import { errorNamesOf } from '../../model/param-parts.ts';
import { INT_BOUNDS, mapSchema, refTo, type Schema } from '../../model/schema.ts';

/** ledger/openrpc.json: the whole document in one file; references by #/components/schemas/<title>. */
export const renderOpenrpc = (model: LedgerModel): Files => ({
  'ledger/openrpc.json': `${printJson(openrpcDocument(model))}\n`,
});

/** The OpenRPC document as data. */
export const openrpcDocument = (model: LedgerModel): Readonly<Record<string, unknown>> => {
  const { head, methods, schemas, errors } = model;
  const names = new Set(methods.flatMap((method) => errorNamesOf(method, model)));
  const answered = [...errors.values()]
    .filter(({ name }) => names.has(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    ...head,
    servers: head.servers,
    methods: methods.map((method) => methodObject(method, model)),
    components: {
      schemas: Object.fromEntries([...schemas].map(([title, schema]) => [title, withBounds(schema)])),
      errors: Object.fromEntries(
        answered.map(({ name, jsonrpc }) => [name, { code: jsonrpc.code, message: jsonrpc.message }]),
      ),
    },
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

/** What x-int implies, in the words of JSON Schema. */
const withBounds = (schema: Schema): object =>
  mapSchema(schema, (part) => {
    const kind = part['x-int'];
    if (kind === undefined) return part;
    const [minimum, maximum] = INT_BOUNDS[kind];
    return Object.assign({ ...part }, { minimum: part.minimum ?? minimum, maximum: part.maximum ?? maximum });
  });

const methodObject = (method: Method, model: LedgerModel) => ({
  name: method.name,
  summary: method.summary,
  description: method.description,
  tags: [{ name: method.tag }],
  paramStructure: 'by-position',
  params: method.params.map(({ name, description, required, schema }) => ({
    name,
    description,
    required,
    schema: withBounds(schema),
  })),
  result: { ...method.result, schema: withBounds(method.result.schema) },
  errors: errorNamesOf(method, model).map((name) => ({ $ref: `#/components/errors/${name}` })),
  examples: method.examples
    .filter(({ error }) => error === undefined)
    .map((example) => examplePairing(method, example)),
  'x-origin': method.origin,
  'x-cost': method.cost,
  'x-cache': method.cache,
  'x-retry': method.retry,
  'x-refused-in': Object.keys(method.refusedIn).length > 0 ? method.refusedIn : undefined,
  'x-span': method.span,
});

const examplePairing = (method: Method, { name, params, result }: Example) => ({
  name,
  params: params.map((value: Json, index) => ({ name: method.params[index]?.name ?? String(index), value })),
  result: { name: method.result.name, value: result },
});
