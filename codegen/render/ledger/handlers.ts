import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { HEADER } from '../../text.ts';

/** ledger/handlers.ts: the types that make the compiler count the handlers. */
export const renderHandlers = (_: LedgerModel): Files => ({
  'ledger/handlers.ts': `${HEADER}import type { MethodName, ServedUpstream } from './methods.ts';
import type { MethodParams, MethodResults } from './types.ts';

/** Answers one method. \`C\` is what the handler works on; params have passed checkParams. */
export type LedgerHandler<C, M extends MethodName> = (
  context: C,
  ...params: MethodParams[M]
) => MethodResults[M] | Promise<MethodResults[M]>;

/** One handler for every method that a ledger node answers. */
export type LedgerHandlers<C> = { readonly [M in ServedUpstream]: LedgerHandler<C, M> };
`,
});
