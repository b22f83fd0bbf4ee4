import type { Files } from '../../area.ts';
import { refTitle } from '../../model/schema.ts';
import type { Operation } from '../../model/wallets/operation.ts';
import type { WalletsModel } from '../../model/wallets/wallets.ts';
import { HEADER, quote } from '../../text.ts';

/** wallets/handlers.ts: the types that make the compiler count the operations. */
export const renderWalletHandlers = ({ operations }: WalletsModel): Files => ({
  'wallets/handlers.ts': `${HEADER}import type { CheckedBodies, CheckedQueries } from './checked-types.ts';
import type { AnswerForm, OperationId } from './operations.ts';
import type { ${answerTypes(operations).join(', ')} } from './types.ts';

/** A request that has passed: its token, its limit and its body are good. */
export type WalletRequest<O extends OperationId> = {
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
export type WalletAnswers = {
${operations.map((operation) => `readonly ${operation.id}: ${answerType(operation)};\n`).join('')}};

/** Answers one operation. \`C\` is what it works on. Refusals are thrown. */
export type WalletHandler<C, O extends OperationId> = (
  context: C,
  request: WalletRequest<O>,
) => Promise<WalletAnswers[O]>;

/** One handler for every operation. */
export type WalletHandlers<C> = { readonly [O in OperationId]: WalletHandler<C, O> };
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

/** wallets/wallet-handlers.ts: the file of each operation in src/wallets/operations/, under the type that counts them. */
export const renderWalletRegister = ({ operations }: WalletsModel): Files => ({
  'wallets/wallet-handlers.ts': `${HEADER}import type { WalletContext } from '../../src/wallets/wallet-context.ts';
${operations.map(({ id }) => `import { ${id} } from ${quote(`../../src/wallets/operations/${id}.ts`)};\n`).join('')}import type { WalletHandlers } from './handlers.ts';

/** What answers each operation. */
export const WALLET_HANDLERS: WalletHandlers<WalletContext> = {
${operations.map(({ id }) => `${id},\n`).join('')}};
`,
});
