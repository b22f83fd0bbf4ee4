import type { Files } from '../../area.ts';
import { isJsonObject, type Json, printJson } from '../../json.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Example, Method } from '../../model/method.ts';

/** ledger/openrpc.json: the whole document in one file; references by #/components/schemas/<title>. */
export const renderOpenrpc = (model: LedgerModel): Files => ({
  'ledger/openrpc.json': `${printJson(openrpcDocument(model))}\n`,
});

/** The OpenRPC document as data. */
export const openrpcDocument = ({
  head,
  methods,
  schemas,
  errors,
}: LedgerModel): Readonly<Record<string, unknown>> => ({
  ...head,
  servers: Array.isArray(head.servers) ? head.servers.map(withScheme) : undefined,
  methods: methods.map(methodObject),
  components: {
    schemas: Object.fromEntries(schemas),
    errors: Object.fromEntries(
      [...new Set(methods.flatMap(errorNames))].sort().map((name) => {
        const { jsonrpc } = errors.get(name) ?? {};
        return [name, { code: jsonrpc?.code, message: jsonrpc?.message }];
      }),
    ),
  },
});

/** An address must begin with a scheme: the variable that the template begins with gives way to its default. */
const withScheme = (server: Json): Json => {
  if (!isJsonObject(server) || !isJsonObject(server.variables)) return server;
  const first = /^\{(\w+)\}/.exec(String(server.url))?.[1];
  const variable = first === undefined ? undefined : server.variables[first];
  if (first === undefined || !isJsonObject(variable)) return server;
  const { [first]: _, ...variables } = server.variables;
  return { ...server, url: String(server.url).replace(`{${first}}`, String(variable.default)), variables };
};

const methodObject = (method: Method) => ({
  name: method.name,
  summary: method.summary,
  description: method.description,
  tags: [{ name: method.tag }],
  paramStructure: 'by-position',
  params: method.params.map(({ name, description, required, schema }) => ({
    name,
    description,
    required,
    schema,
  })),
  result: method.result,
  errors: errorNames(method).map((name) => ({ $ref: `#/components/errors/${name}` })),
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

const errorNames = (method: Method): readonly string[] => [
  ...new Set([...method.errors, ...Object.values(method.refusedIn)]),
];

const examplePairing = (method: Method, { name, params, result }: Example) => ({
  name,
  params: params.map((value: Json, index) => ({ name: method.params[index]?.name ?? String(index), value })),
  result: { name: method.result.name, value: result },
});
