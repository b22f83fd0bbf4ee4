import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { HEADER, identifier, memberName, quote } from '../../text.ts';
import { compileShared } from '../../validators/compile.ts';
import { prepareShared, reachedFrom } from '../../validators/prepare-result.ts';

/**
 * test/ledger/result-validators.js: validators of results, for tests only, in one file because the large ones share nearly
 * everything; test/ledger/results/<method>.js: each by itself; test/ledger/results.js: their register.
 */
export const renderResults = ({ methods, schemas }: LedgerModel): Files => {
  const reached = new Set(methods.flatMap(({ result }) => [...reachedFrom(result.schema, schemas).keys()]));
  const definitions = Object.fromEntries(
    [...schemas]
      .filter(([title]) => reached.has(title))
      .map(([title, schema]) => [title, prepareShared(schema)]),
  );
  const results = Object.fromEntries(
    methods.map(({ name, result }) => [identifier(name), prepareShared(result.schema)]),
  );
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
${methods.map(({ name }) => (memberName(name) === identifier(name) ? `${name},\n` : `${memberName(name)}: ${identifier(name)},\n`)).join('')}};
`,
    'test/ledger/results.d.ts': `${HEADER}import type { MethodName } from '../../ledger/methods.ts';
import type { ValidatorError } from '../../runtime/explain-params.ts';

/** Takes results as parseJson reads them; \`errors\` belongs to the last call. */
export type ResultValidator = { (result: unknown): boolean; errors?: readonly ValidatorError[] | null };

export declare const RESULT_VALIDATORS: { readonly [M in MethodName]: ResultValidator };
`,
  };
};
