import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { HEADER, identifier, literal, quote, shorthand } from '../../text.ts';
import { compileModule } from '../../validators/compile.ts';
import { prepareParams } from '../../validators/prepare-param.ts';

/** ledger/params.ts, ledger/params/<method>.js and their register: the params of every method, checked in a node's words. */
export const renderParams = (model: LedgerModel): Files => ({
  ...Object.fromEntries(
    model.methods.map((method) => {
      const { schema, explanations } = prepareParams(method, model.schemas);
      const names = method.params.map(({ name }) => name);
      return [
        `ledger/params/${method.name}.js`,
        `${HEADER}${compileModule(schema, '../../runtime')}
/** What a failed keyword answers, by its schema path. */
export const explanations = ${literal(explanations)};

/** Params by position. */
export const names = ${literal(names)};

/** How many are required. */
export const minimum = ${method.minParams};
`,
      ];
    }),
  ),
  'ledger/params-checks.js': `${HEADER}${model.methods
    .map(({ name }) => `import * as ${identifier(name)} from ${quote(`./params/${name}.js`)};\n`)
    .join('')}
/** The check of each method's params. */
export const PARAMS_CHECKS = {
${model.methods.map(({ name }) => shorthand(name)).join('')}};
`,
  'ledger/params-checks.d.ts': `${HEADER}import type { ErrorName } from '../errors.ts';
import type { ParamsCheck } from '../runtime/explain-params.ts';
import type { MethodName } from './methods.ts';

export declare const PARAMS_CHECKS: { readonly [M in MethodName]: ParamsCheck<ErrorName> };
`,
  'ledger/params.ts': CHECK_PARAMS(model),
});

const CHECK_PARAMS = (model: LedgerModel): string => `${HEADER}import type { ErrorName } from '../errors.ts';
import { checkAgainst, type Violation as ViolationOf } from '../runtime/explain-params.ts';
import type { MethodName } from './methods.ts';
import { PARAMS_CHECKS } from './params-checks.js';

/** The first thing wrong with a call's params: the error, and the context that fills its message. */
export type Violation = ViolationOf<ErrorName>;

/**
 * Checks the raw \`params\` member of a call; undefined, null and [] are the same. Answers the first violation in the words
 * of a ledger node, or undefined when there is none.
 */
export const checkParams = (method: MethodName, params: unknown): Violation | undefined =>
  checkAgainst<ErrorName>(PARAMS_CHECKS[method], params, contextOf);

const contextOf = (error: ErrorName): readonly string[] => CONTEXT_NAMES[error] ?? [];

/** The context members of the errors that a parameter can answer. */
const CONTEXT_NAMES: Readonly<Partial<Record<ErrorName, readonly string[]>>> = ${literal(contextNames(model))};
`;

const contextNames = (model: LedgerModel): Readonly<Record<string, readonly string[]>> => {
  const used = new Set(['invalidType', 'invalidValue']);
  for (const method of model.methods)
    for (const { error } of Object.values(prepareParams(method, model.schemas).explanations))
      for (const name of typeof error === 'string' ? [error] : Object.values(error)) used.add(name);
  return Object.fromEntries(
    [...used].sort().map((name) => [name, Object.keys(model.errors.get(name)?.context ?? {})]),
  );
};
