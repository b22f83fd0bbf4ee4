import type { FieldProblem } from './field-problem.ts';
import { BLANK, UNPRINTABLE } from './printable.ts';

/** An error of an Ajv validator. */
export type BodyFault = {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
};

/** A validator that fills in defaults, in place; `errors` belongs to the last call. */
export type BodyValidator = { (value: unknown): boolean; errors?: readonly BodyFault[] | null };

/** The check of an operation's body. */
export type BodyCheck = {
  readonly validate: BodyValidator;
  /** Pointers of the members whose values are never shown. */
  readonly secrets: readonly string[];
  /** The error of each excluded combination, by its index in `allOf`. */
  readonly conflicts: readonly { readonly member: string; readonly detail: string }[];
};

/** Detail for a member that the schema does not have. */
export const NOT_A_MEMBER = 'is not a member of this body';
/** More faults than a person reads are not reported. */
const MAX_PROBLEMS = 32;
const LONE_SURROGATE = 'has a lone surrogate, which is not a character';
const MAX_TOLD_CHARS = 64;
/** Defaults are not filled in below this depth. */
const MAX_DEFAULT_DEPTH = 4;

/**
 * Checks a parsed body without changing it.
 *
 * @returns the body with its defaults filled in, or its faults, place by place.
 */
export const checkAgainstBody = (
  { validate, secrets, conflicts }: BodyCheck,
  value: unknown,
):
  | { readonly kind: 'body'; readonly body: unknown }
  | { readonly kind: 'problems'; readonly problems: readonly FieldProblem[] } => {
  const body = copyOf(value, MAX_DEFAULT_DEPTH);
  if (validate(body)) return { kind: 'body', body };
  const problems = (validate.errors ?? []).slice(0, MAX_PROBLEMS).map((fault) => {
    const { value: told, ...problem } = explain(fault, body, conflicts);
    const isTold = told !== undefined && !secrets.includes(problem.pointer);
    return isTold ? { ...problem, value: told } : problem;
  });
  return { kind: 'problems', problems };
};

/** Copies the parts that defaults are added to. */
const copyOf = (value: unknown, depth: number): unknown => {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyOf(member, depth - 1)]));
};

const explain = (fault: BodyFault, body: unknown, conflicts: BodyCheck['conflicts']): FieldProblem => {
  const { instancePath: pointer, keyword, params } = fault;
  const found = valueAt(body, pointer);
  const told = typeof found === 'number' ? { value: found } : {};
  const limit = Number(params.limit);
  switch (keyword) {
    case 'required':
      return { pointer: below(pointer, params.missingProperty), detail: 'is required' };
    case 'additionalProperties':
      return { pointer: below(pointer, params.additionalProperty), detail: NOT_A_MEMBER };
    case 'dependencies':
      return {
        pointer: below(pointer, params.property),
        detail: `requires ${String(params.missingProperty)}`,
      };
    case 'not': {
      const conflict = conflicts[Number(/^#\/allOf\/(\d+)\//.exec(fault.schemaPath)?.[1])];
      return { pointer: below(pointer, conflict?.member), detail: conflict?.detail ?? 'conflicts' };
    }
    case 'type':
      return { pointer, detail: `must be ${withArticle(String(params.type))}` };
    case 'enum':
      return { pointer, detail: `must be ${oneOf(params.allowedValues)}`, ...short(found) };
    case 'minimum':
      return { pointer, detail: `must be at least ${limit}`, limit, ...told };
    case 'maximum':
      return { pointer, detail: `must be at most ${limit}`, limit, ...told };
    case 'minLength':
      return {
        pointer,
        detail: limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`,
        limit,
      };
    case 'minItems':
      return {
        pointer,
        detail: limit === 1 ? 'must not be empty' : `must have at least ${limit} items`,
        limit,
      };
    case 'maxItems':
      return { pointer, detail: `must have at most ${limit} items`, limit };
    case 'x-max-chars':
      return {
        pointer,
        detail: `must have at most ${limit} characters`,
        limit,
        value: [...String(found)].length,
      };
    case 'x-last-index':
      return {
        pointer: below(pointer, 'count'),
        detail: 'start and count go beyond the last index',
        limit,
        value: Number(params.value),
      };
    case 'x-well-formed':
      return { pointer, detail: LONE_SURROGATE };
    case 'x-printable': {
      if (!String(found).isWellFormed()) return { pointer, detail: LONE_SURROGATE };
      if (BLANK.test(String(found))) return { pointer, detail: 'shows nothing: it has spaces only' };
      const text = params.lines === true ? String(found).replaceAll('\n', '') : String(found);
      const code = UNPRINTABLE.exec(text)?.[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
      return { pointer, detail: `has a character that is not printable: U+${code}` };
    }
    default:
      return { pointer, detail: 'does not have the required form' };
  }
};

const below = (pointer: string, name: unknown): string =>
  `${pointer}/${String(name).slice(0, MAX_TOLD_CHARS).replaceAll('~', '~0').replaceAll('/', '~1')}`;

const withArticle = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

const oneOf = (values: unknown): string => (Array.isArray(values) ? values.join(' or ') : String(values));

/** Only short words are shown of a text, because it may contain a misplaced secret. */
const WORD = /^[\w.+-]{1,24}$/;

/** Returns a word or a number, which may be shown. */
const short = (found: unknown): Pick<FieldProblem, 'value'> => {
  if (typeof found === 'string') return WORD.test(found) ? { value: found } : {};
  return typeof found === 'number' || typeof found === 'boolean' || found === null ? { value: found } : {};
};

const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (node, step) =>
        typeof node === 'object' && node !== null
          ? (node as Readonly<Record<string, unknown>>)[step.replaceAll('~1', '/').replaceAll('~0', '~')]
          : undefined,
      value,
    );
