import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { resultSchemas } from '../../model/reach.ts';
import { REPLY } from './subscription-contract.ts';
import { HEADER, identifier, quote, shorthand } from '../../text.ts';
import { compileShared } from '../../validators/compile.ts';
import { prepareShared } from '../../validators/prepare-result.ts';

/**
 * test/ledger/result-validators.js: validators of results and notifications, for tests only, in one file because the large ones share nearly
 * everything; test/ledger/results/<method>.js: each by itself; test/ledger/results.js: their register.
 */
export const renderResults = (model: LedgerModel): Files => {
  const { methods, subscriptions, common } = model;
  const definitions = Object.fromEntries(
    [...resultSchemas(model)].map(([title, schema]) => [title, prepareShared(schema)]),
  );
  const results = {
    ...Object.fromEntries(
      methods.map(({ name, result }) => [identifier(name), prepareShared(result.schema)]),
    ),
    ...Object.fromEntries(
      subscriptions.map(({ name, notification }) => [name, prepareShared(notification.schema)]),
    ),
    [common.gap.name]: prepareShared(common.gap.schema),
    [REPLY]: prepareShared(common.reply.schema),
  };
  return {
    'test/ledger/result-validators.js': HEADER + compileShared(results, definitions, '../../runtime'),
    ...Object.fromEntries(
      methods.map(({ name }) => [
        `test/ledger/results/${name}.js`,
        `${HEADER}export { ${identifier(name)} as validate } from '../result-validators.js';\n`,
      ]),
    ),
    'test/ledger/results.js': `${HEADER}${methods
      .map(
        ({ name }) => `import { validate as ${identifier(name)} } from ${quote(`./results/${name}.js`)};\n`,
      )
      .join('')}
/** The validator of each method's result. */
export const RESULT_VALIDATORS = {
${methods.map(({ name }) => shorthand(name)).join('')}};
`,
    'test/ledger/results.d.ts': `${HEADER}import type { MethodName } from '../../ledger/methods.ts';
import type { ValidatorError } from '../../runtime/explain-params.ts';

/** Takes results as parseJson reads them; \`errors\` belongs to the last call. */
export type ResultValidator = { (result: unknown): boolean; errors?: readonly ValidatorError[] | null };

export declare const RESULT_VALIDATORS: { readonly [M in MethodName]: ResultValidator };
`,
  };
};
