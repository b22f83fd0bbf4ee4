import type { Files } from '../../area.ts';
import type { Operation } from '../../model/rest/operation.ts';
import { resolve } from '../../model/schema.ts';
import { hasSecret, type RestSchema, type RestSchemas } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { docComment, HEADER, literal, memberName, quote } from '../../text.ts';
import { headersOf } from './document.ts';

/** operations.ts: the operations and their header fields as data. */
export const renderOperations = ({ operations, head, schemas, service }: RestModel): Files => ({
  [`${service.folder}/operations.ts`]: `${HEADER}import type { RestOperation } from '../../runtime/rest-operation.ts';
import type { OperationId } from './types.ts';

export type { OperationId } from './types.ts';

/** The scopes of access tokens. */
export const SCOPES = ${literal(Object.keys(head['x-scopes']))} as const;

export type Scope = (typeof SCOPES)[number];
${rolesText(head)}
export const OPERATIONS = {
${operations.map((operation) => entry(operation, schemas)).join('')}} as const satisfies { readonly [O in OperationId]: RestOperation };

export type OperationWithBody = ${union(operations.flatMap(({ id, body }) => (body ? [id] : [])))};

export type OperationWithQuery = ${union(operations.flatMap(({ id, query }) => (query ? [id] : [])))};

/** Members of the bodies of all operations. */
export const BODY_MEMBERS: ReadonlySet<string> = new Set(${literal(bodyMembers(operations, schemas))});

/** Members of bodies and answers whose values are secrets: never logged, printed or put into an error. */
export const SECRET_MEMBERS = ${literal(secretMembers(schemas))} as const;

/** Maximum number of bytes that the text of a member may encode, by operation. */
export const BYTE_LIMITS = ${literal(byteLimits(operations, schemas))} as const;

/** The headers that operations take: what their values must be. */
export const HEADERS = ${literal(
    Object.fromEntries(
      Object.entries(head.components.parameters).map(([name, { schema }]) => [
        name,
        { minLength: schema.minLength, maxLength: schema.maxLength, pattern: schema.pattern },
      ]),
    ),
  )} as const;

/** True if the value of a header has its form. */
export const isHeaderValue = (name: keyof typeof HEADERS, value: string): boolean => {
  const { pattern, maxLength = Infinity }: { readonly pattern: string; readonly maxLength?: number } = HEADERS[name];
  return value.length <= maxLength && new RegExp(pattern, 'u').test(value);
};
`,
});

/** The scopes of members' roles, of every service. */
const rolesText = ({ 'x-roles': roles }: RestModel['head']): string =>
  roles === undefined
    ? ''
    : `
/** The scopes of each role of a member, from the one that may do everything. */
export const ROLES = ${literal(Object.fromEntries(Object.entries(roles).map(([role, { scopes }]) => [role, scopes])))} as const;

export type Role = keyof typeof ROLES;
`;

const FORMS: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/jsonl': 'jsonl',
  'text/csv': 'csv',
};

const entry = (operation: Operation, schemas: RestSchemas): string =>
  `${docComment(operation.summary)}${memberName(operation.id)}: ${literal({
    method: operation.method.toUpperCase(),
    path: operation.path,
    auth: operation.auth,
    scopes: operation.scopes,
    roles: operation.roles,
    isFresh: operation.isFresh,
    audit: operation.audit,
    prices: operation.prices,
    rate: operation.rate,
    idempotent: operation.idempotent,
    headers: headersOf(operation),
    status: operation.success.status,
    forms: operation.success.content.flatMap(({ media }) => FORMS[media] ?? []),
    secret: carriesSecret(operation, schemas),
  })},\n`;

const carriesSecret = (operation: Operation, schemas: RestSchemas): boolean =>
  operation.success.content.some(
    ({ itemSchema, schema = itemSchema }) => schema && hasSecret(schema, schemas),
  );

const secretMembers = (schemas: RestSchemas): readonly string[] => {
  const members = [...schemas.values()].flatMap(({ properties = {} }) => Object.entries(properties));
  const isSecret = (schema: RestSchema): boolean =>
    (resolve(schema, schemas) as RestSchema)['x-secret'] === true;
  return [...new Set(members.filter(([, schema]) => isSecret(schema)).map(([name]) => name))].sort();
};

const bodyMembers = (operations: readonly Operation[], schemas: RestSchemas): readonly string[] => {
  const bodies = operations.flatMap(({ body }) =>
    body === undefined ? [] : [resolve(body.schema, schemas)],
  );
  return [...new Set(bodies.flatMap(({ properties = {} }) => Object.keys(properties)))].sort();
};

const byteLimits = (operations: readonly Operation[], schemas: RestSchemas): object =>
  Object.fromEntries(
    operations.flatMap(({ id, body }) => {
      const { properties = {} } = body === undefined ? {} : (resolve(body.schema, schemas) as RestSchema);
      const limits = Object.entries(properties).flatMap(([name, member]) => {
        const bytes = (member as RestSchema)['x-max-bytes'];
        return bytes === undefined ? [] : [[name, bytes]];
      });
      return limits.length === 0 ? [] : [[id, Object.fromEntries(limits)]];
    }),
  );

const union = (names: readonly string[]): string =>
  [...new Set(names)].sort().map(quote).join(' | ') || 'never';
