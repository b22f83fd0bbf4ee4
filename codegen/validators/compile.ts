import { Ajv, type Options, type ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Prepared } from '../runtime/value-keywords.ts';
import { KEYWORDS } from './keywords.ts';

const createAjv = (source: boolean, options: Options): Ajv =>
  new Ajv({
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    messages: false,
    unicode: false,
    validateFormats: false,
    validateSchema: false,
    logger: false,
    keywords: [...KEYWORDS],
    code: { source, esm: true, lines: true },
    ...options,
  });

/** A validator to run at build time (lint). */
export const compileValidator = (schema: Prepared): ValidateFunction =>
  createAjv(false, { messages: true, verbose: true }).compile(schema);

/** An ES module that exports `validate`; `runtime` is the path from the module to the runtime folder. */
export const compileModule = (schema: Prepared, runtime: string, options: Options = {}): string => {
  const ajv = createAjv(true, options);
  const code = standalone.default(ajv, ajv.compile(schema));
  if (/\brequire\(/.test(code)) throw new Error('the validator needs a CommonJS module; avoid the keyword');
  const imported = code.includes('isBase58') ? `import { isBase58 } from '${runtime}/base58.ts';\n` : '';
  return (
    imported + dropUnusedSchemas(code.replace('"use strict";\n', '').replace(/^export default \w+;\n/m, ''))
  );
};

/** The schemas that Ajv puts beside its code are mostly not used by it. */
const dropUnusedSchemas = (code: string): string =>
  code.replace(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1 ? '' : line,
  );
