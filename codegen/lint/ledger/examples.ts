import type { ErrorObject } from 'ajv';
import { fileTitle, type LedgerModel, SUBSCRIPTIONS_FILE } from '../../model/ledger.ts';
import type { Callable, Example } from '../../model/method.ts';
import { type SubscriptionExample, unsubscribeOf } from '../../model/subscription.ts';
import { refTo, type Schema } from '../../model/schema.ts';
import { checkAgainst, type ParamsValidator } from '../../../runtime/explain-params.ts';
import { compileValidator } from '../../validators/compile.ts';
import { prepareParams } from '../../validators/prepare-param.ts';
import { prepareResult } from '../../validators/prepare-result.ts';
import { type Fault, specificErrors, toFault } from '../fault.ts';
import { finding, type Rule } from './rule.ts';

/** Every call has an example; params, results and notifications of examples fit their schemas, and so do errors. */
export const checkExamples: Rule = ({ model, calls, common }) => {
  const ledger = model();
  const found = [...shownCalls(ledger)].flatMap((shown, index) => {
    const { file = '', pointer: at = '' } = calls[index] ?? {};
    const missing =
      shown.call.examples.length > 0
        ? []
        : [finding('examples', { file, pointer: `${at}/examples` }, 'there is no example', false)];
    return [
      ...missing,
      ...checkAll(shown, ledger).map(({ pointer, message }) =>
        finding('examples', { file, pointer: at + pointer }, message, false),
      ),
    ];
  });
  const isGap = compileValidator(prepareResult(ledger.common.gap.schema, ledger.schemas));
  const gaps = common.gap.examples.flatMap((value, index) =>
    isGap(value) ? [] : resultFault(isGap.errors ?? [], `/gap/examples/${index}`),
  );
  return [
    ...found,
    ...gaps.map(({ pointer, message }) =>
      finding('examples', { file: SUBSCRIPTIONS_FILE, pointer }, message, false),
    ),
  ];
};

/** A call, with the schemas of its answer and of its notifications. */
type ShownCall = { readonly call: Callable; readonly result: Schema; readonly notification?: Schema };

/** In the order of the documents. */
const shownCalls = ({ methods, subscriptions, common }: LedgerModel): readonly ShownCall[] => [
  ...methods.map((call) => ({ call, result: call.result.schema })),
  ...subscriptions.map((call) => ({
    call,
    result: common.reply.schema,
    notification: call.notification.schema,
  })),
  ...subscriptions
    .slice(0, 1)
    .map((first) => ({ call: unsubscribeOf(first, common), result: common.unsubscribe.result.schema })),
];

const checkAll = ({ call, result, notification }: ShownCall, model: LedgerModel): readonly Fault[] => {
  const check = paramsCheck(call, model);
  const fits = compileValidator(prepareResult(result, model.schemas));
  const isNotified = notification && compileValidator(prepareResult(notification, model.schemas));
  return call.examples.flatMap((example: SubscriptionExample, index) => {
    const pointer = `/examples/${index}`;
    const params = checkParamsOf(example, call, check).map((message) => ({
      pointer: `${pointer}/params`,
      message,
    }));
    if ((example.error === undefined) === (example.result === undefined))
      return [...params, { pointer, message: 'an example has either a result or an error' }];
    const contexts = checkContext(example, check(example.params) === undefined, model).map((message) => ({
      pointer: `${pointer}/context`,
      message,
    }));
    const notified = (example.notifications ?? []).flatMap((value, position) =>
      !isNotified || isNotified(value)
        ? []
        : resultFault(isNotified.errors ?? [], `${pointer}/notifications/${position}`),
    );
    if (isNotified && (example.error === undefined) === (example.notifications === undefined))
      return [...params, { pointer, message: 'an example has either notifications or an error' }];
    if (example.error !== undefined || fits(example.result)) return [...params, ...contexts, ...notified];
    return [...params, ...resultFault(fits.errors ?? [], `${pointer}/result`), ...notified];
  });
};

/** An error that does not follow from the params has its whole context, and its data if that has a schema. */
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
    ...unknown.map((name) => `${name} is not allowed here`),
    ...(dataTitle === undefined || isOf(dataTitle, context.data, schemas)
      ? []
      : [`${error} wants data that is a ${dataTitle}`]),
  ];
};

const isOf = (title: string, value: unknown, schemas: LedgerModel['schemas']): boolean =>
  compileValidator(prepareResult({ $ref: refTo(title) }, schemas))(value);

const typeOf = (value: unknown): string =>
  typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : typeof value;

/** For a union, the branch that got furthest is reported. */
const resultFault = (errors: readonly ErrorObject[], at: string): readonly Fault[] => {
  const depth = ({ instancePath }: ErrorObject): number => instancePath.split('/').length;
  return specificErrors(errors)
    .toSorted((a, b) => depth(b) - depth(a))
    .slice(0, 1)
    .map(toFault)
    .map(({ pointer, message }) => ({
      pointer: at + pointer,
      message: `the result does not fit: ${message}`,
    }));
};

type Check = (params: unknown) => ReturnType<typeof checkAgainst<string>>;

const paramsCheck = (method: Callable, model: LedgerModel): Check => {
  const { schema, explanations } = prepareParams(method, model.schemas);
  const validate: ParamsValidator = compileValidator(schema);
  const names = method.params.map(({ name }) => name);
  const contextOf = (error: string) => Object.keys(model.errors.get(error)?.context ?? {});
  return (params) =>
    checkAgainst({ validate, explanations, names, minimum: method.minParams }, params, contextOf);
};

const checkParamsOf = ({ params, error }: Example, method: Callable, check: Check): readonly string[] => {
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
