import type { Files } from '../../area.ts';
import { statusOf } from '../../model/errors.ts';
import type { Operation } from '../../model/rest/operation.ts';
import { resolve } from '../../model/schema.ts';
import { hasSecret, type RestSchema, type RestSchemas } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { docComment, HEADER, literal, memberName, quote } from '../../text.ts';
import { headersOf } from './document.ts';

/** operations.ts: the operations and their header fields as data. */
export const renderOperations = ({ operations, head, schemas, service }: RestModel): Files => ({
  [`${service.folder}/operations.ts`]: `${HEADER}import type { ErrorNameWith } from '../errors.ts';
import type { PLANS } from '../plans.ts';
import type { OperationId } from './types.ts';

export type { OperationId } from './types.ts';

/** What an access token may be for. */
export const SCOPES = ${literal(Object.keys(head['x-scopes']))} as const;

export type Scope = (typeof SCOPES)[number];
${rolesText(head)}
/** Media type of each form of an answer. */
export const MEDIA_TYPES = { json: 'application/json', jsonl: 'application/jsonl', csv: 'text/csv' } as const;

export type AnswerForm = keyof typeof MEDIA_TYPES;

/** Another name of the media type of a form, which clients may ask for: the answer then has it. */
export const OTHER_MEDIA_TYPES: Readonly<Partial<Record<AnswerForm, string>>> = { jsonl: 'application/x-ndjson' };

/** What an operation is, beside its types. */
export type OperationEntry = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** What a request may be authenticated by; nothing: anyone may call. */
  readonly auth: readonly ('token' | 'session')[];
  /** All of them are needed, of a token. */
  readonly scopes: readonly Scope[];
  /** One of them is needed, of a session. */
  readonly roles: readonly ${head['x-roles'] ? 'Role' : 'never'}[];
  /** Whether a session needs a second factor that was just confirmed. */
  readonly isFresh: boolean;
  /** What the audit log calls it. */
  readonly audit: string;
  /** Rows of the price list that it is charged by. */
  readonly prices: readonly (keyof (typeof PLANS)['wallet_prices'])[];
  /** The limit that its requests count for: a row of the plans. */
  readonly rate?: ${union(operations.flatMap(({ rate = [] }) => rate))};
  /** Takes Idempotency-Key. */
  readonly idempotent: boolean;
  readonly headers: readonly string[];
  /** Status of success. */
  readonly status: number;
  /** The forms of its answer; the first is the default. */
  readonly forms: readonly AnswerForm[];
  /** Whether an answer can carry a secret. */
  readonly secret: boolean;
  /** The errors that it may answer, by status. */
  readonly errors: readonly ErrorNameWith<'problem'>[];
};

export const OPERATIONS = {
${operations.map((operation) => entry(operation, schemas)).join('')}} as const satisfies { readonly [O in OperationId]: OperationEntry };

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

/** Whether the value of a header is of its form. */
export const isHeaderValue = (name: keyof typeof HEADERS, value: string): boolean => {
  const { pattern, maxLength = Infinity }: { readonly pattern: string; readonly maxLength?: number } = HEADERS[name];
  return value.length <= maxLength && new RegExp(pattern, 'u').test(value);
};
`,
});

/** What the roles of members may do; scopes of every service. */
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
    errors: operation.errors
      .toSorted((a, b) => statusOf(a.error) - statusOf(b.error))
      .map(({ error }) => error.name),
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
