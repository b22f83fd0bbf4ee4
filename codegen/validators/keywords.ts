import type { KeywordCxt, KeywordDefinition } from 'ajv';
import { _, and, type Code, not, or } from 'ajv/dist/compile/codegen/index.js';
import { isNumeric, type Prepared, VALUE_KEYWORDS } from '../../runtime/value-keywords.ts';

/** Any value passes except the ones listed. */
const lenientKeyword: KeywordDefinition = {
  keyword: 'x-lenient',
  schemaType: 'array',
  code: (cxt) => {
    const refused: readonly string[] = cxt.schema;
    if (refused.length > 0) cxt.fail(or(...refused.map((value) => _`${cxt.data} === ${value}`)));
  },
};

/** null passes; any other value must fit the schema. */
const optionalKeyword: KeywordDefinition = {
  keyword: 'x-optional',
  schemaType: 'object',
  code: (cxt) => {
    const valid = cxt.gen.let('valid', true);
    cxt.gen.if(_`${cxt.data} !== null`, () => cxt.subschema({ keyword: 'x-optional' }, valid));
    cxt.ok(valid);
  },
};

/** True when all listed members are set. */
const conflictKeyword: KeywordDefinition = {
  keyword: 'x-conflict',
  type: 'object',
  schemaType: 'array',
  code: (cxt) => {
    const members: readonly string[] = cxt.schema;
    cxt.fail(and(...members.map((name) => _`${cxt.data}[${name}] === true`)));
  },
};

/** The value is not one of these, which parse but are not served. */
const refusedKeyword: KeywordDefinition = {
  keyword: 'x-refused',
  schemaType: 'array',
  code: (cxt) => {
    const refused: readonly unknown[] = cxt.schema;
    cxt.fail(or(...refused.map((value) => _`${cxt.data} === ${String(value)}`)));
  },
};

/** Like anyOf, but enters a branch only if the data could fit it, so that valid data creates no error objects. */
const variantsKeyword: KeywordDefinition = {
  keyword: 'x-variants',
  schemaType: 'array',
  trackErrors: true,
  code: (cxt) => {
    const branches: readonly Prepared[] = cxt.schema;
    const valid = cxt.gen.let('valid', false);
    const fits = cxt.gen.name('_valid');
    cxt.gen.block(() =>
      branches.forEach((branch, index) => {
        cxt.gen.if(and(not(valid), couldFit(cxt.data, branch)), () => {
          cxt.subschema({ keyword: 'x-variants', schemaProp: index, compositeRule: true }, fits);
          cxt.gen.assign(valid, fits);
        });
      }),
    );
    cxt.result(
      valid,
      () => cxt.reset(),
      () => cxt.error(true),
    );
  },
};

/** A cheap test that every fitting value passes. */
const couldFit = (data: Code, branch: Prepared): Code => {
  if ('x-int' in branch || 'x-number' in branch) return isNumeric(data);
  if (branch.type === 'object') {
    const required = Array.isArray(branch.required) ? branch.required : [];
    const isObject = _`${data} && typeof ${data} == "object" && !Array.isArray(${data})`;
    return and(isObject, ...required.map((name: string) => _`${data}[${name}] !== undefined`));
  }
  if (branch.type === 'array') return _`Array.isArray(${data})`;
  return branch.type === 'string' || branch.type === 'boolean'
    ? _`typeof ${data} == ${branch.type}`
    : _`true`;
};

type SpanSchema = { readonly from: number; readonly to: number; readonly maximum: number };

/** The item at `to` exceeds the item at `from` by more than `maximum`; both must be integers to be compared. */
const spanKeyword: KeywordDefinition = {
  keyword: 'x-span',
  type: 'array',
  schemaType: 'object',
  error: { message: '', params: (cxt) => _`{span: ${spanOf(cxt)}}` },
  code: (cxt) => {
    const { from, to, maximum }: SpanSchema = cxt.schema;
    const [low, high] = [_`${cxt.data}[${from}]`, _`${cxt.data}[${to}]`];
    const plain = _`typeof ${low} == "number" && typeof ${high} == "number" ? ${high} - ${low} > ${maximum}`;
    cxt.fail(
      _`${isNumeric(low)} && ${isNumeric(high)} && (${plain} : BigInt(${high}) - BigInt(${low}) > ${maximum})`,
    );
  },
};

const spanOf = (cxt: Pick<KeywordCxt, 'data' | 'schema'>): Code => {
  const { from, to }: SpanSchema = cxt.schema;
  return _`BigInt(${cxt.data}[${to}]) - BigInt(${cxt.data}[${from}])`;
};

type RangeSchema = { readonly from: string; readonly count: string; readonly maximum: number };

/** A range of this start and count ends after the maximum. */
const lastIndexKeyword: KeywordDefinition = {
  keyword: 'x-last-index',
  type: 'object',
  schemaType: 'object',
  error: {
    message: '',
    params: ({ data, schema }) => _`{limit: ${schema.maximum}, value: ${lastOf(data, schema)}}`,
  },
  code: (cxt) => {
    const { count, maximum }: RangeSchema = cxt.schema;
    const counts = _`Number.isInteger(${cxt.data}[${count}]) && ${cxt.data}[${count}] > 0`;
    cxt.fail(_`${counts} && ${lastOf(cxt.data, cxt.schema)} > ${maximum}`);
  },
};

const lastOf = (data: Code, { from, count }: RangeSchema): Code =>
  _`${data}[${from}] + ${data}[${count}] - 1`;

/** Our keywords, as code: the emitted code needs only the functions of runtime/base58.ts. */
export const KEYWORDS: readonly KeywordDefinition[] = [
  ...VALUE_KEYWORDS,
  lenientKeyword,
  optionalKeyword,
  conflictKeyword,
  refusedKeyword,
  variantsKeyword,
  spanKeyword,
  lastIndexKeyword,
];
