import { Ajv, type Options, type ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Prepared } from '../../runtime/value-keywords.ts';
import { KEYWORDS } from './keywords.ts';
import { nameByContent } from './name-by-content.ts';

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

/** Schemas that a schema refers to, by `partRef`. Each has its own function, `validate<Name>`. */
type Parts = Readonly<Record<string, Prepared>>;

const PARTS = 'parts';

/** A reference to one of the parts of a schema. */
export const partRef = (name: string): string => `${PARTS}#/$defs/${name}`;

type ModuleOptions = Options & { readonly parts?: Parts };

/** An ES module that exports `validate`; `runtime` is the path from the module to the runtime folder. */
export const compileModule = (
  schema: Prepared,
  runtime: string,
  { parts = {}, ...options }: ModuleOptions = {},
): string => {
  const ajv = createAjv(true, { ...options, inlineRefs: Object.keys(parts).length === 0 });
  const names = new Map<string, string>();
  ajv.opts.code.process = (code, env) => {
    const part = Object.keys(parts).find((name) => parts[name] === env?.schema);
    if (env?.validateName && part !== undefined) names.set(env.validateName.str, part);
    return code;
  };
  ajv.addSchema({ $id: PARTS, $defs: parts });
  const code = standalone.default(ajv, ajv.compile(schema));
  if (/\brequire\(/.test(code)) throw new Error('the validator needs a CommonJS module; avoid the keyword');
  const imported = code.includes('isBase58') ? `import { isBase58 } from '${runtime}/base58.ts';\n` : '';
  const exported = code.replace('"use strict";\n', '').replace(/^export default \w+;\n/m, '');
  return imported + nameByContent(nameFunctions(dropUnusedSchemas(exported), names, parts));
};

/** Names functions and schemas after their parts. */
const nameFunctions = (code: string, names: ReadonlyMap<string, string>, parts: Parts): string => {
  const schemas = [...code.matchAll(/^const (schema\d+) = (.*);$/gm)].map(([, name = '', text = '']) => {
    const part = Object.keys(parts).find((each) => JSON.stringify(parts[each]) === text);
    return [name, part === undefined ? 'schema' : `schema${part}`] as const;
  });
  const renamed = new Map([
    ...schemas,
    ...[...names].map(([from, part]) => [from, `validate${part}`] as const),
  ]);
  return code.replace(/\b(?:schema|validate)\d+\b/g, (name) => renamed.get(name) ?? name);
};

/** Ajv puts schemas next to its code, most of which are unused. */
const dropUnusedSchemas = (code: string): string =>
  code.replace(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1 ? '' : line,
  );
