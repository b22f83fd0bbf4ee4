import type { KeywordDefinition } from 'ajv';
import { _Code } from 'ajv/dist/compile/codegen/code.js';
import { _, type Code, str } from 'ajv/dist/compile/codegen/index.js';
import { isBase58 } from './base58.ts';
import { BLANK, UNPRINTABLE } from './printable.ts';
import { INT_BOUNDS, type IntKind, isWideKind } from './int-kinds.ts';

/** Schema members after preparation: the inputs of our code keywords. */
export type Prepared = { readonly [keyword: string]: unknown };

/** The keyword that checks the type of a schema; numbers may be bigint. */
export const typeKeyword = (schema: { readonly type?: string; readonly 'x-int'?: IntKind }): Prepared => {
  if (schema.type === 'integer') return { 'x-int': schema['x-int'] };
  if (schema.type === 'number') return { 'x-number': true };
  return schema.type === undefined ? {} : { type: schema.type };
};

/** True when the data is an integer of the kind, as a number or a bigint. A number beyond 2^53 was written as a fraction. */
const isInt = (data: Code, kind: IntKind): Code => {
  const [low, high] = INT_BOUNDS[kind];
  if (!isWideKind(kind)) {
    const inside = _`${data} >= ${Number(low)} && ${data} <= ${Number(high)}`;
    return _`(typeof ${data} == "number" ? Number.isInteger(${data}) && ${inside} : typeof ${data} == "bigint" && ${inside})`;
  }
  const safe = low < 0n ? _`Number.isSafeInteger(${data})` : _`Number.isSafeInteger(${data}) && ${data} >= 0`;
  return _`(typeof ${data} == "number" ? ${safe} : typeof ${data} == "bigint" && ${data} >= ${bigint(low)} && ${data} <= ${bigint(high)})`;
};

const bigint = (value: bigint): Code => new _Code(`${value}n`);

/** True when the data is a number, as a number or a bigint. */
export const isNumeric = (data: Code): Code => _`(typeof ${data} == "number" || typeof ${data} == "bigint")`;

const intKeyword: KeywordDefinition = {
  keyword: 'x-int',
  schemaType: 'string',
  error: { message: ({ schema }) => str`must be an integer (${schema})` },
  code: (cxt) => cxt.pass(isInt(cxt.data, cxt.schema)),
};

const numberKeyword: KeywordDefinition = {
  keyword: 'x-number',
  schemaType: 'boolean',
  error: { message: 'must be a number' },
  code: (cxt) => cxt.pass(isNumeric(cxt.data)),
};

/** Bounds compare numbers and bigints alike. */
const minimumKeyword: KeywordDefinition = {
  keyword: 'x-minimum',
  schemaType: 'number',
  error: { message: ({ schema }) => str`must be >= ${schema}` },
  code: (cxt) => cxt.fail(_`${isNumeric(cxt.data)} && ${cxt.data} < ${cxt.schema}`),
};

const maximumKeyword: KeywordDefinition = {
  keyword: 'x-maximum',
  schemaType: 'number',
  error: { message: ({ schema }) => str`must be <= ${schema}` },
  code: (cxt) => cxt.fail(_`${isNumeric(cxt.data)} && ${cxt.data} > ${cxt.schema}`),
};

const base58Keyword: KeywordDefinition = {
  keyword: 'x-base58',
  type: 'string',
  schemaType: 'number',
  error: { message: ({ schema }) => str`must be base-58 of ${schema} bytes` },
  code: (cxt) => {
    const check = cxt.gen.scopeValue('func', { ref: isBase58, code: _`isBase58` });
    cxt.pass(_`${check}(${cxt.data}, ${cxt.schema})`);
  },
};

/** Maximum length in Unicode code points, as JSON Schema counts. */
const charsKeyword: KeywordDefinition = {
  keyword: 'x-max-chars',
  type: 'string',
  schemaType: 'number',
  error: { message: '', params: ({ schema }) => _`{limit: ${schema}}` },
  code: (cxt) => {
    const { data, schema } = cxt;
    cxt.fail(_`${data}.length > ${schema} && Array.from(${data}).length > ${schema}`);
  },
};

/** A text of complete characters: no half of a surrogate pair. */
const wellFormedKeyword: KeywordDefinition = {
  keyword: 'x-well-formed',
  type: 'string',
  schemaType: 'boolean',
  error: { message: 'must be well-formed Unicode' },
  code: (cxt) => cxt.pass(_`${cxt.data}.isWellFormed()`),
};

/** A text that others see: it shows something, in printable characters, and line feeds if the value is `lines`. */
const printableKeyword: KeywordDefinition = {
  keyword: 'x-printable',
  type: 'string',
  schemaType: ['boolean', 'string'],
  error: { message: 'must be printable', params: ({ schema }) => _`{lines: ${schema === 'lines'}}` },
  code: (cxt) => {
    const { data, schema } = cxt;
    const text = schema === 'lines' ? _`${data}.replaceAll(${'\n'}, "")` : data;
    cxt.fail(_`${new _Code(String(UNPRINTABLE))}.test(${text}) || ${new _Code(String(BLANK))}.test(${data})`);
  },
};

/** Our keywords for values, as code: the emitted code needs nothing but the functions of base58.ts. */
export const VALUE_KEYWORDS: readonly KeywordDefinition[] = [
  intKeyword,
  numberKeyword,
  minimumKeyword,
  maximumKeyword,
  base58Keyword,
  charsKeyword,
  wellFormedKeyword,
  printableKeyword,
];
