import { base58Fault, decodedSize } from './base58.ts';
import { describe, isInteger } from './describe-value.ts';
import { tagFault, tagOf } from './tag-fault.ts';

/** The first fault of a call's params: the error, and the context for its message. */
export type Violation<E extends string = string> = {
  readonly error: E;
  readonly context: Readonly<Record<string, unknown>>;
  /** `major.minor` of the first node version that refuses it, if older ones do not. */
  readonly since?: string;
};

/** The error of a failed keyword. `error` is a pair [badAlphabet, wrongSize] for x-base58, by value for x-lenient. */
export type Explanation<E extends string> = {
  readonly error: E | readonly [E, E] | Readonly<Record<string, E>>;
  /** The names of a tagged union: one of them, or an object of one such member. */
  readonly tags?: readonly string[];
  /** The expectation in serde's words. */
  readonly expected?: string;
  readonly limit?: number;
  /** The parameter to name, if the failure is not at one. */
  readonly parameter?: string;
  /** A node finds this error after it has parsed the params, so that it wins inside a union. */
  readonly checked?: true;
  /** The first node version that enforces the limit, if not all do. */
  readonly since?: string;
};

/** By the schema path of the keyword, as reported by the validator. */
export type Explanations<E extends string> = Readonly<Record<string, Explanation<E>>>;

export type ValidatorError = {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/** A compiled validator; `errors` belongs to its last call. */
export type ParamsValidator = { (params: unknown): boolean; errors?: readonly ValidatorError[] | null };

/** A method's compiled params check: its validator, the meaning of its failures, param names in order, number of required ones. */
export type ParamsCheck<E extends string> = {
  readonly validate: ParamsValidator;
  readonly explanations: Explanations<E>;
  readonly names: readonly string[];
  readonly minimum: number;
};

type ArityError = 'paramsNotArray' | 'tooFewParams' | 'tooManyParams' | 'noParamsExpected';

const NO_PARAMS: readonly unknown[] = [];

/** Checks the raw `params` member of a call against a method; undefined, null and [] are the same. Returns the first violation. */
export const checkAgainst = <E extends string>(
  { validate, explanations, names, minimum }: ParamsCheck<E>,
  params: unknown,
  contextOf: (error: E) => readonly string[],
): Violation<E | ArityError> | undefined => {
  const list = params ?? NO_PARAMS;
  if (!Array.isArray(list)) return { error: 'paramsNotArray', context: {} };
  if (list.length < minimum)
    return { error: 'tooFewParams', context: { limit: minimum, value: list.length } };
  if (list.length > names.length) return tooMany(minimum, names.length, list.length);
  return validate(list)
    ? undefined
    : explainParams(list, validate.errors ?? [], explanations, names, contextOf);
};

const tooMany = (minimum: number, limit: number, value: number): Violation<ArityError> =>
  limit === 0
    ? { error: 'noParamsExpected', context: { limit, value } }
    : { error: 'tooManyParams', context: { minimum, limit, value } };

/** Describes the validator's failure in a ledger node's words. `contextOf` names the context members of each error. */
const explainParams = <E extends string>(
  params: readonly unknown[],
  errors: readonly ValidatorError[],
  explanations: Explanations<E>,
  names: readonly string[],
  contextOf: (error: E) => readonly string[],
): Violation<E> => {
  const failed = chooseError(params, errors, explanations);
  const explanation = failed && explanations[failed.schemaPath];
  if (!failed || !explanation) throw new Error(`no explanation for ${failed?.schemaPath ?? 'the refusal'}`);
  const steps = stepsOf(failed);
  const value = valueAt(params, steps);
  const tagged = explanation.tags && tagFault(value, explanation.tags);
  const error = (tagged?.error as E | undefined) ?? errorOf(explanation, failed, value);
  const facts = {
    ...factsOf(failed, explanation, value),
    ...tagged?.facts,
    parameter: explanation.parameter ?? readablePath(steps, names),
  };
  return {
    error,
    context: Object.fromEntries(contextOf(error).map((name) => [name, memberOf(facts, name)])),
    ...(explanation.since !== undefined && { since: explanation.since }),
  };
};

/**
 * The last error is the outermost. If a union failed, an error that a branch found after parsing wins; and if a name selects the branch,
 * the error inside it.
 */
const chooseError = <E extends string>(
  params: readonly unknown[],
  errors: readonly ValidatorError[],
  explanations: Explanations<E>,
): ValidatorError | undefined => {
  const last = errors.at(-1);
  if (last?.keyword !== 'x-variants') return last;
  const { tags } = explanations[last.schemaPath] ?? {};
  const tag = tags && tagOf(valueAt(params, stepsOf(last)));
  const inside = tag === undefined ? undefined : `${last.instancePath}/${tag}`;
  return (
    errors.find(({ schemaPath }) => explanations[schemaPath]?.checked) ??
    errors.find(({ instancePath }) => inside !== undefined && isBelow(instancePath, inside)) ??
    last
  );
};

const isBelow = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`);

const stepsOf = ({ instancePath }: ValidatorError): readonly string[] =>
  instancePath.split('/').slice(1).map(unescapeStep);

const valueAt = (params: readonly unknown[], steps: readonly string[]): unknown =>
  steps.reduce<unknown>((parent, step) => memberOf(parent, step), params);

const errorOf = <E extends string>(
  { error, limit }: Explanation<E>,
  failed: ValidatorError,
  value: unknown,
): E => {
  if (typeof error === 'string') return integerError(error, failed, value);
  const [badAlphabet, wrongSize] = Array.isArray(error) ? (error as readonly [E, E]) : [];
  if (badAlphabet && wrongSize)
    return base58Fault(String(value), limit ?? 0) === 'badAlphabet' ? badAlphabet : wrongSize;
  return (error as Readonly<Record<string, E>>)[String(value)] as E;
};

/** An integer out of range is an invalid value, everything else an invalid type. */
const integerError = <E extends string>(error: E, failed: ValidatorError, value: unknown): E =>
  failed.keyword === 'x-int' && error === 'invalidType' && isInteger(value) ? ('invalidValue' as E) : error;

const factsOf = (
  failed: ValidatorError,
  explanation: Explanation<string>,
  value: unknown,
): Readonly<Record<string, unknown>> => {
  const field = failed.params.missingProperty;
  const { expected, limit } = explanation;
  return { got: describe(value), expected, limit, field, value: factValue(failed, value) };
};

const factValue = (failed: ValidatorError, value: unknown): unknown => {
  if (failed.keyword === 'x-base58') return decodedSize(String(value));
  if (failed.keyword === 'x-span') return failed.params.span;
  if (typeof value === 'string') return /Length$/.test(failed.keyword) ? [...value].length : value;
  return Array.isArray(value) ? value.length : value;
};

const memberOf = (parent: unknown, step: string): unknown =>
  typeof parent === 'object' && parent !== null
    ? (parent as Readonly<Record<string, unknown>>)[step]
    : undefined;

/** `['1', 'filters', '0']` to `config.filters[0]`. */
const readablePath = ([first, ...rest]: readonly string[], names: readonly string[]): string =>
  rest.reduce(
    (path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : `${path}.${step}`),
    names[Number(first)] ?? '',
  );

const unescapeStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');
