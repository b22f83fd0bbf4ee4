import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { type JsonSchema, type Schemas, valuesOf } from './json-schema-values.ts';

type Operation = {
  readonly operationId?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
};

const DOCUMENT = JSON.parse(
  readFileSync(new URL('../../../generated/wallets/openapi.json', import.meta.url), 'utf8'),
) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Schemas };
};

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

/** A request of the wallet service before it is damaged. */
export type WalletRequest = {
  readonly method: Method;
  /** With `{id}` where the id of a wallet stands. */
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  /** The statuses that the document has for the operation; undefined: there is none such. */
  readonly statuses: ReadonlySet<string> | undefined;
};

const METHODS: Readonly<Record<string, Method>> = { get: 'GET', post: 'POST', delete: 'DELETE' };
const FEW = ['k-1', 'k-2', 'k-3', '', ' ', 'é', 'x'.repeat(255), 'x'.repeat(256), 'a b', '"'];

const OPERATIONS = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([name, operation]) => {
    const method = METHODS[name];
    return method === undefined || operation.operationId === undefined ? [] : [{ path, method, operation }];
  }),
);

/** Of every operation, with bodies and headers that fit or do not, and of methods and paths that there are none of. */
export const walletRequest: fc.Arbitrary<WalletRequest> = fc.oneof(
  ...OPERATIONS.map(({ path, method, operation }) => ({
    weight: 4,
    arbitrary: ofOperation(path, method, operation),
  })),
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom<Method>('PUT', 'PATCH', 'HEAD', 'OPTIONS', 'DELETE', 'GET', 'POST'),
      path: fc.constantFrom(
        '/v1/wallets',
        '/v1/wallets/{id}/sign',
        '/v1/wallets/',
        '/v1',
        '/v1/wallets/{id}/x',
        '/v2/wallets',
      ),
      body: fc.constantFrom(undefined, {}),
      headers: headers(),
      statuses: fc.constant(undefined),
    }),
  },
);

function ofOperation(
  path: string,
  method: Method,
  { requestBody, responses }: Operation,
): fc.Arbitrary<WalletRequest> {
  const schema = requestBody?.content['application/json']?.schema;
  return fc.record({
    method: fc.constant(method),
    path: fc.constant(path),
    headers: headers(),
    body: schema === undefined ? fc.constant(undefined) : valuesOf(schema, DOCUMENT.components.schemas),
    statuses: fc.constant(new Set(Object.keys(responses))),
  });
}

/** Those that the service reads; most requests have none of them. */
function headers(): fc.Arbitrary<Readonly<Record<string, string>>> {
  const seldom = (value: fc.Arbitrary<string>, others = 2) =>
    fc.oneof({ weight: others, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
  return fc
    .record({
      'idempotency-key': seldom(fc.oneof(fc.uuid(), fc.constantFrom(...FEW))),
      'x-two-factor-code': seldom(
        fc.oneof(fc.stringMatching(/^\d{6}$/), fc.constantFrom('', '12345', 'abcdef', '1'.repeat(99))),
      ),
      accept: seldom(
        fc.constantFrom(
          'application/json',
          'text/csv',
          'application/jsonl',
          '*/*',
          'image/png',
          ';;',
          'text/*;q=0',
        ),
      ),
      'content-type': seldom(
        fc.constantFrom(
          'application/json',
          'text/plain',
          'application/json; charset=latin1',
          'application/x-www-form-urlencoded',
          '',
        ),
      ),
      authorization: seldom(fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic eDp5', 'bearer ks_tok_x'), 20),
    })
    .map((all) =>
      Object.fromEntries(
        Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
      ),
    );
}
