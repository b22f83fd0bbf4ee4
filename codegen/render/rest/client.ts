import type { Files } from '../../area.ts';
import { refTitle } from '../../model/schema.ts';
import type { Operation } from '../../model/rest/operation.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { docComment, HEADER, quote } from '../../text.ts';
import { snakeCase } from '../../model/errors.ts';

/** client.ts: one typed function per operation, over fetch; package.ts: its exports from the client package. */
export const renderClient = ({ operations, events, service: { folder, prefix } }: RestModel): Files => {
  const creates = operations.some(hasReceived);
  const shared = [
    ...(operations.some(({ idempotent }) => idempotent) ? ['IdempotentOptions'] : []),
    ...(operations.some(isStream) ? ['ItemStream'] : []),
  ];
  const imported = [
    ...['type CallOptions', 'createRestCall', ...shared.map((name) => `type ${name}`)],
    ...['RestCallError', 'type RestFailure', 'type RestOptions'],
  ];
  const exported = [
    ...[`create${prefix}Client`, ...(creates ? ['type CreationOptions'] : []), `is${prefix}Error`],
    ...[...shared, 'RestFailure', `${prefix}CallOptions`, `${prefix}Client`].map((name) => `type ${name}`),
    ...[`type ${prefix}ClientOptions`, `type ${prefix}Error`, 'RestCallError'],
  ];
  return {
    [`${folder}/client.ts`]: `${HEADER}${creates ? "import { createCompleteCall, type CreationOptions } from '../../runtime/complete-call.ts';\n" : ''}import { ${imported.join(', ')} } from '../../runtime/rest-call.ts';
import type { ProblemData, ${prefix}ErrorCode, ${typesUsed(operations).join(', ')} } from './types.ts';

${creates ? "export type { CreationOptions } from '../../runtime/complete-call.ts';\n" : ''}export type { ${[`CallOptions as ${prefix}CallOptions`, ...shared].join(', ')} } from '../../runtime/rest-call.ts';
export { RestCallError, type RestFailure, type RestOptions as ${prefix}ClientOptions } from '../../runtime/rest-call.ts';

/** The operations as functions. They throw RestCallError. */
export interface ${prefix}Client {
${operations.map((operation) => `${docComment(documentation(operation))}${operation.id}${signature(operation)};\n`).join('')}}

/** A client of one server; it runs wherever fetch does. */
export const create${prefix}Client = (options: RestOptions): ${prefix}Client => {
  const send = ${creates ? 'createCompleteCall(createRestCall(options), options)' : 'createRestCall(options)'};
  const call = async <T>(...request: Parameters<typeof send>): Promise<T> => (await send(...request)) as T;
  return {
${operations.map(implementation).join('')}  };
};

/** A refusal with this code; its problem has the members of the code. */
export type ${prefix}Error<C extends ${prefix}ErrorCode> = RestCallError & {
  readonly failure: Extract<RestFailure, { kind: 'problem' }> & { readonly code: C; readonly problem: ProblemData[C] };
};

/** True if a call was refused with the code. */
export const is${prefix}Error = <C extends ${prefix}ErrorCode>(error: unknown, code: C): error is ${prefix}Error<C> =>
  error instanceof RestCallError && error.failure.kind === 'problem' && error.failure.code === code;
`,
    [`${folder}/package.ts`]: `${HEADER}export { ${exported.join(', ')} } from './client.ts';
export type * from './types.ts';
${events.length === 0 ? '' : EVENT_EXPORTS}`,
  };
};

const EVENT_EXPORTS = `export { EVENT_TYPES, type EventData, type EventType, parseWebhook, WebhookError, type WebhookEvent } from './events.ts';
`;

const documentation = (operation: Operation): string =>
  [
    operation.summary,
    operation.description,
    `${accessText(operation)} Refused with ${[...new Set(operation.errors.map(({ error }) => snakeCase(error.name)))].join(', ')}.`,
  ].join('\n');

const accessText = ({ auth, scopes, roles }: Operation): string =>
  [
    ...(auth.includes('token') ? [`Scope ${scopes.join(', ')}.`] : []),
    ...(auth.includes('session') ? [`Session of ${roles.join(', ')}.`] : []),
  ].join(' ') || 'Public.';

const isStream = ({ success }: Operation): boolean => success.content.some(({ itemSchema }) => itemSchema);

const jsonType = ({ success }: Operation): string | undefined =>
  success.content.flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [refTitle(schema.$ref)]))[0];

const itemType = ({ success }: Operation): string | undefined =>
  success.content.flatMap(({ itemSchema }) =>
    itemSchema?.$ref === undefined ? [] : [refTitle(itemSchema.$ref)],
  )[0];

const bodyType = ({ body }: Operation): string | undefined =>
  body?.schema.$ref === undefined ? undefined : refTitle(body.schema.$ref);

const queryType = ({ query }: Operation): string | undefined =>
  query?.$ref === undefined ? undefined : refTitle(query.$ref);

/** Required arguments other than the body: the id of the path, the header of a second factor. */
const hasId = ({ path }: Operation): boolean => path.includes('{');
const hasReceived = ({ headers }: Operation): boolean => headers.includes('X-Wallets-Received');
const hasCode = ({ headers }: Operation): boolean => headers.includes('X-Two-Factor-Code');

const signature = (operation: Operation): string => {
  const body = bodyType(operation);
  const generic = body !== undefined && isStream(operation) && jsonType(operation) !== undefined;
  const params = [
    ...(hasId(operation) ? ['id: string'] : []),
    ...(operation.query ? [`query?: ${queryType(operation)}`] : []),
    ...(body === undefined ? [] : [`body: ${generic ? 'B' : body}`]),
    hasCode(operation)
      ? 'options: CallOptions & { readonly twoFactorCode: string }'
      : `options?: ${optionsType(operation)}`,
  ];
  return `${generic ? `<const B extends ${body}>` : ''}(${params.join(', ')}): Promise<${resultType(operation, generic)}>`;
};

const optionsType = (operation: Operation): string => {
  if (hasReceived(operation)) return 'CreationOptions';
  return operation.idempotent ? 'IdempotentOptions' : 'CallOptions';
};

/** The form of the answer depends on the requested form. */
const resultType = (operation: Operation, generic: boolean): string => {
  const stream = `ItemStream<${itemType(operation)}>`;
  if (generic) return `B extends { readonly format: 'jsonl' | 'csv' } ? ${stream} : ${jsonType(operation)}`;
  return isStream(operation) ? stream : String(jsonType(operation));
};

const implementation = (operation: Operation): string => {
  const { id, method, path } = operation;
  const names = [
    ...(hasId(operation) ? ['id'] : []),
    ...(operation.query ? ['query'] : []),
    ...(operation.body ? ['body'] : []),
    `{ ${[...(hasCode(operation) ? ['twoFactorCode'] : []), ...(operation.idempotent ? ['idempotencyKey'] : []), ...(hasReceived(operation) ? ['walletsReceived'] : []), 'signal'].join(', ')} }${hasCode(operation) ? '' : ' = {}'}`,
  ];
  const url = hasId(operation) ? `\`${path.replace(/\{\w+\}/, `\${encodeURIComponent(id)}`)}\`` : quote(path);
  const headers = [
    ...(operation.idempotent ? ["'idempotency-key': idempotencyKey"] : []),
    ...(hasReceived(operation) ? ["'x-wallets-received': walletsReceived?.toString()"] : []),
    ...(hasCode(operation) ? ["'x-two-factor-code': twoFactorCode"] : []),
  ];
  return `${id}: (${names.join(', ')}) => call({ operation: ${quote(id)}, method: ${quote(method.toUpperCase())}, path: ${url}, ${headers.length > 0 ? `headers: { ${headers.join(', ')} }, ` : ''}${operation.query ? 'query, ' : ''}${operation.body ? 'body, ' : ''}signal }),\n`;
};

const typesUsed = (operations: readonly Operation[]): readonly string[] =>
  [
    ...new Set(
      operations.flatMap((operation) => [
        ...[bodyType(operation), queryType(operation), jsonType(operation), itemType(operation)].filter(
          (name) => name !== undefined,
        ),
      ]),
    ),
  ].sort();
