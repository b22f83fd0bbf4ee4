import type { Files } from '../../area.ts';
import { refTitle } from '../../model/schema.ts';
import type { Operation } from '../../model/rest/operation.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { namesOf } from '../../model/rest/service.ts';
import { HEADER, quote } from '../../text.ts';

/** handlers.ts: the types that make the compiler count the operations. */
export const renderHandlers = ({ operations, service: { folder, prefix } }: RestModel): Files => ({
  [`${folder}/handlers.ts`]: `${HEADER}import type { CheckedBodies, CheckedQueries } from './checked-types.ts';
import type { AnswerForm, OperationId } from './operations.ts';
import type { ${answerTypes(operations).join(', ')} } from './types.ts';

/** A request that has passed: its token, its limit and its body are good. */
export type ${prefix}Request<O extends OperationId> = {
  /** The id in the path; empty where the path has none. */
  readonly id: string;
  /** The form that format or Accept select; without either the first of the operation. */
  readonly form: AnswerForm;
  readonly body: CheckedBodies[O];
  readonly query: CheckedQueries[O];
  /** Of X-Two-Factor-Code; undefined if it was not sent. */
  readonly twoFactorCode: string | undefined;
};

/** Answered as one JSON value. */
export type JsonAnswer<T> = { readonly kind: 'json'; readonly body: T };

/** Answered as one JSON value that is printed already. The bytes may hold secrets: who sends them overwrites them after. */
export type PrintedAnswer = { readonly kind: 'printed'; readonly bytes: Uint8Array };

/** Answered as it is made. What breaks off \`chunks\` breaks off the connection. */
export type StreamAnswer = {
  readonly kind: 'stream';
  readonly form: Exclude<AnswerForm, 'json'>;
  /** Number of wallets that follow, sent first as X-Wallet-Count. */
  readonly count: number;
  /**
   * Bytes ready to be sent, with the wallets in them. Begun always; asking for the next chunk says that the one before has
   * left, and it is overwritten then.
   */
  readonly chunks: AsyncGenerator<{ readonly bytes: Uint8Array; readonly count: number }, void, undefined>;
};

/** What each operation answers when it succeeds. */
export type ${prefix}Answers = {
${operations.map((operation) => `readonly ${operation.id}: ${answerType(operation)};\n`).join('')}};

/** Answers one operation. \`C\` is what it works on. Refusals are thrown. */
export type ${prefix}Handler<C, O extends OperationId> = (
  context: C,
  request: ${prefix}Request<O>,
) => Promise<${prefix}Answers[O]>;

/** One handler for every operation. */
export type ${prefix}Handlers<C> = { readonly [O in OperationId]: ${prefix}Handler<C, O> };
`,
});

const answerTypes = (operations: readonly Operation[]): readonly string[] =>
  [...new Set(operations.flatMap(jsonTypes))].sort();

const jsonTypes = ({ success }: Operation): readonly string[] =>
  success.content.flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [refTitle(schema.$ref)]));

const answerType = (operation: Operation): string =>
  [
    ...jsonTypes(operation).map((type) => `JsonAnswer<${type}>`),
    ...(operation.success.content.some(({ schema }) => schema) ? ['PrintedAnswer'] : []),
    ...(operation.success.content.some(({ itemSchema }) => itemSchema) ? ['StreamAnswer'] : []),
  ].join(' | ');

/** <service>-handlers.ts: the file of each operation in src/, under the type that counts them. */
export const renderRegister = ({ operations, service }: RestModel): Files => {
  const { folder, prefix } = service;
  const { lower, upper, contextFile, handlersFolder } = namesOf(service);
  return {
    [`${folder}/${lower}-handlers.ts`]: `${HEADER}import type { ${prefix}Context } from '../../${contextFile}';
${operations.map(({ id }) => `import { ${id} } from ${quote(`../../${handlersFolder}/${id}.ts`)};\n`).join('')}import type { ${prefix}Handlers } from './handlers.ts';

/** What answers each operation. */
export const ${upper}_HANDLERS: ${prefix}Handlers<${prefix}Context> = {
${operations.map(({ id }) => `${id},\n`).join('')}};
`,
  };
};
