import type { ErrorObject } from 'ajv';
import { fileTitle, type LedgerModel } from '../../model/ledger.ts';
import type { Example, Method } from '../../model/method.ts';
import { refTo } from '../../model/schema.ts';
import { checkAgainst, type ParamsValidator } from '../../runtime/explain-params.ts';
import { compileValidator } from '../../validators/compile.ts';
import { prepareParams } from '../../validators/prepare-param.ts';
import { prepareResult } from '../../validators/prepare-result.ts';
import { type Fault, tellingErrors, toFault } from '../fault.ts';
import { finding, type Rule } from './rule.ts';

/** Every method has an example; params and results of examples are what the schemas say, and so are errors. */
export const checkExamples: Rule = ({ model, methods }) => {
  const ledger = model();
  return ledger.methods.flatMap((method, index) => {
    const file = methods[index]?.file ?? '';
    const missing =
      method.examples.length > 0
        ? []
        : [finding('examples', { file, pointer: '/examples' }, 'there is no example', false)];
    return [
      ...missing,
      ...checkAll(method, ledger).map(({ pointer, message }) =>
        finding('examples', { file, pointer }, message, false),
      ),
    ];
  });
};

const checkAll = (method: Method, model: LedgerModel): readonly Fault[] => {
  const check = paramsCheck(method, model);
  const fits = compileValidator(prepareResult(method.result.schema, model.schemas));
  return method.examples.flatMap((example, index) => {
    const pointer = `/examples/${index}`;
    const params = checkParamsOf(example, method, check).map((message) => ({
      pointer: `${pointer}/params`,
      message,
    }));
    if ((example.error === undefined) === (example.result === undefined))
      return [...params, { pointer, message: 'an example has either a result or an error' }];
    const told = checkContext(example, check(example.params) === undefined, model).map((message) => ({
      pointer: `${pointer}/context`,
      message,
    }));
    if (example.error !== undefined || fits(example.result)) return [...params, ...told];
    return [...params, ...resultFault(fits.errors ?? [], `${pointer}/result`)];
  });
};

/** An error that the params alone do not give is told with its whole context, and with its data where that has a schema. */
const checkContext = (
  { error = '', context = {} }: Example,
  isAccepted: boolean,
  { errors, schemas }: LedgerModel,
): readonly string[] => {
  const entry = isAccepted ? errors.get(error) : undefined;
  const wanted = Object.entries(entry?.context ?? {});
  const dataTitle = entry?.dataSchema && fileTitle(entry.dataSchema.$ref);
  const known = [...wanted.map(([name]) => name), ...(dataTitle === undefined ? [] : ['data'])];
  const missing = wanted.filter(([name, type]) => typeOf(context[name]) !== type);
  const unknown = Object.keys(context).filter((name) => !known.includes(name));
  return [
    ...missing.map(([name, type]) => `${error} wants ${name} as ${type}`),
    ...unknown.map((name) => `${name} is not to be told here`),
    ...(dataTitle === undefined || isOf(dataTitle, context.data, schemas)
      ? []
      : [`${error} wants data that is a ${dataTitle}`]),
  ];
};

const isOf = (title: string, value: unknown, schemas: LedgerModel['schemas']): boolean =>
  compileValidator(prepareResult({ $ref: refTo(title) }, schemas))(value);

const typeOf = (value: unknown): string =>
  typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : typeof value;

/** Of the branches of a union, the one that got furthest tells most. */
const resultFault = (errors: readonly ErrorObject[], at: string): readonly Fault[] => {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  return tellingErrors(errors)
    .toSorted((a, b) => depth(b) - depth(a))
    .slice(0, 1)
    .map(toFault)
    .map(({ pointer, message }) => ({
      pointer: at + pointer,
      message: `the result does not fit: ${message}`,
    }));
};

type Check = (params: unknown) => ReturnType<typeof checkAgainst<string>>;

const paramsCheck = (method: Method, model: LedgerModel): Check => {
  const { schema, explanations } = prepareParams(method, model.schemas);
  const validate: ParamsValidator = compileValidator(schema);
  const names = method.params.map(({ name }) => name);
  const contextOf = (error: string) => Object.keys(model.errors.get(error)?.context ?? {});
  return (params) =>
    checkAgainst({ validate, explanations, names, minimum: method.minParams }, params, contextOf);
};

const checkParamsOf = ({ params, error }: Example, method: Method, check: Check): readonly string[] => {
  const refused = check(params);
  if (refused)
    return refused.error === error
      ? []
      : [
          `the params are refused with ${refused.error}${refused.context.parameter ? ` at ${refused.context.parameter}` : ''}`,
        ];
  const known = [...method.errors, ...Object.values(method.refusedIn)];
  return error === undefined || known.includes(error)
    ? []
    : [`the params are not refused with ${error}, nor is it among the errors`];
};
