import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Example, Method } from '../../model/method.ts';
import { HEADER, literal, memberName } from '../../text.ts';

/** ledger/examples.ts: what the examples of each method answer. Those that the checks of params refuse are left out. */
export const renderExamples = ({ methods }: LedgerModel): Files => ({
  'ledger/examples.ts': `${HEADER}import type { ErrorName } from '../errors.ts';
import type { MethodName } from './methods.ts';

/** A call that the specification shows, with its answer. */
export type Example =
  | { readonly params: readonly unknown[]; readonly result: unknown }
  | { readonly params: readonly unknown[]; readonly error: ErrorName; readonly context: Readonly<Record<string, unknown>> };

/** The examples of every method, in the order of the specification. */
export const EXAMPLES: { readonly [M in MethodName]: readonly Example[] } = {
${methods.map(entries).join('')}};
`,
});

const entries = ({ name, examples, errors }: Method): string => {
  const answered = examples.filter(({ error }) => error === undefined || errors.includes(error));
  return `${memberName(name)}: [\n${answered.map(entry).join('')}],\n`;
};

const entry = ({ params, result, error, context = {} }: Example): string =>
  `${literal(error === undefined ? { params, result } : { params, error, context })},\n`;
