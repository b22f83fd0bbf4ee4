import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import type { Callable } from '../../model/method.ts';
import { unsubscribeOf } from '../../model/subscription.ts';
import { HEADER, identifier, literal, memberName, quote, shorthand } from '../../text.ts';
import { compileModule } from '../../validators/compile.ts';
import { prepareParams } from '../../validators/prepare-param.ts';

/** ledger/params.ts, ledger/params/<name>.js and their register: the checks of all params, in a node's words. */
export const renderParams = (model: LedgerModel): Files => ({
  ...Object.fromEntries(
    checkedCalls(model).map(({ file, call }) => {
      const { schema, explanations } = prepareParams(call, model.schemas);
      const names = call.params.map(({ name }) => name);
      return [
        `ledger/params/${file}.js`,
        `${HEADER}${compileModule(schema, '../../../runtime')}
/** The answer to a failed keyword, by its schema path. */
export const explanations = ${literal(explanations)};

/** Params by position. */
export const names = ${literal(names)};

/** The number of required params. */
export const minimum = ${call.minParams};
`,
      ];
    }),
  ),
  'ledger/params-checks.js': `${HEADER}${checkedCalls(model)
    .map(({ file }) => `import * as ${identifier(file)} from ${quote(`./params/${file}.js`)};\n`)
    .join('')}
/** The check of the params of each method, of each subscription, and of what ends these. */
export const PARAMS_CHECKS = {
${[...model.methods, ...model.subscriptions].map(({ name }) => shorthand(name)).join('')}${model.subscriptions
  .map(({ unsubscribe }) => `${memberName(unsubscribe)}: ${UNSUBSCRIBE},\n`)
  .join('')}};
`,
  'ledger/params-checks.d.ts': `${HEADER}import type { ErrorName } from '../errors.ts';
import type { ParamsCheck } from '../../runtime/explain-params.ts';
import type { MethodName } from './methods.ts';
${CALL_NAME(model)}
export declare const PARAMS_CHECKS: { readonly [N in CallName]: ParamsCheck<ErrorName> };
`,
  'ledger/params.ts': CHECK_PARAMS(model),
});

const CALL_NAME = ({ subscriptions }: LedgerModel): string =>
  subscriptions.length === 0
    ? '\n/** Everything that can be called. */\nexport type CallName = MethodName;\n'
    : `import type { SubscriptionName, UnsubscribeName } from './subscriptions.ts';

/** Everything that can be called. */
export type CallName = MethodName | SubscriptionName | UnsubscribeName;
`;

/** Unsubscribe calls share one check, whatever their names. */
const UNSUBSCRIBE = 'unsubscribe';

type CheckedCall = { readonly file: string; readonly call: Callable };

/** Every call with checked params, each check once. */
const checkedCalls = ({ methods, subscriptions, common }: LedgerModel): readonly CheckedCall[] => [
  ...[...methods, ...subscriptions].map((call) => ({ file: call.name, call })),
  ...subscriptions.slice(0, 1).map((first) => ({ file: UNSUBSCRIBE, call: unsubscribeOf(first, common) })),
];

const CHECK_PARAMS = (model: LedgerModel): string => `${HEADER}import type { ErrorName } from '../errors.ts';
import { checkAgainst, type Violation as ViolationOf } from '../../runtime/explain-params.ts';
import { type CallName, PARAMS_CHECKS } from './params-checks.js';

export type { CallName } from './params-checks.js';

/** The first thing wrong with a call's params: the error, and the context that fills its message. */
export type Violation = ViolationOf<ErrorName>;

/**
 * Checks the raw \`params\` member of a call; undefined, null and [] are the same. Answers the first violation in the words
 * of a ledger node, or undefined when there is none.
 */
export const checkParams = (name: CallName, params: unknown): Violation | undefined =>
  checkAgainst<ErrorName>(PARAMS_CHECKS[name], params, contextOf);

const contextOf = (error: ErrorName): readonly string[] => CONTEXT_NAMES[error] ?? [];

/** The context members of the errors that a parameter can answer. */
const CONTEXT_NAMES: Readonly<Partial<Record<ErrorName, readonly string[]>>> = ${literal(contextNames(model))};
`;

const contextNames = (model: LedgerModel): Readonly<Record<string, readonly string[]>> => {
  const used = new Set(['invalidType', 'invalidValue']);
  for (const { call } of checkedCalls(model))
    for (const { error } of Object.values(prepareParams(call, model.schemas).explanations))
      for (const name of typeof error === 'string' ? [error] : Object.values(error)) used.add(name);
  return Object.fromEntries(
    [...used].sort().map((name) => [name, Object.keys(model.errors.get(name)?.context ?? {})]),
  );
};
