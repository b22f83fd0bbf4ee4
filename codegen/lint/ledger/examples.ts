import type { LedgerModel } from '../../model/ledger.ts';
import type { Example, Method } from '../../model/method.ts';
import { checkAgainst, type ParamsValidator } from '../../runtime/explain-params.ts';
import { compileValidator } from '../../validators/compile.ts';
import { prepareParams } from '../../validators/prepare-param.ts';
import { prepareResult } from '../../validators/prepare-result.ts';
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
      ...checkAll(method, ledger).map(([pointer, message]) =>
        finding('examples', { file, pointer }, message, false),
      ),
    ];
  });
};

type Fault = readonly [pointer: string, message: string];

const checkAll = (method: Method, model: LedgerModel): readonly Fault[] => {
  const check = paramsCheck(method, model);
  const fits = compileValidator(prepareResult(method.result.schema, model.schemas));
  return method.examples.flatMap((example, index) => {
    const pointer = `/examples/${index}`;
    const paramsFaults = checkParamsOf(example, method, check).map(
      (message): Fault => [`${pointer}/params`, message],
    );
    if (example.error !== undefined || fits(example.result)) return paramsFaults;
    const error = (fits.errors ?? []).toSorted((a, b) => depth(b.instancePath) - depth(a.instancePath))[0];
    return [
      ...paramsFaults,
      [`${pointer}/result${error?.instancePath ?? ''}`, `the result does not fit: ${error?.schemaPath}`],
    ];
  });
};

/** Of the branches of a union, the one that got furthest tells most. */
const depth = (path: string): number => path.split('/').length;

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
      : [`the params are refused: ${refused.error} ${JSON.stringify(refused.context.parameter ?? '')}`];
  const known = [...method.errors, ...Object.values(method.refusedIn)];
  return error === undefined || known.includes(error)
    ? []
    : [`the params are not refused with ${error}, nor is it among the errors`];
};
