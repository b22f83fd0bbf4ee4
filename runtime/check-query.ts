import { type BodyCheck, checkAgainstBody, NOT_A_MEMBER } from './check-body.ts';
import type { FieldProblem } from './field-problem.ts';

/** The check of one operation's query parameters. */
export type QueryCheck = BodyCheck & {
  /** Parameters that are numbers. */
  readonly integers: readonly string[];
};

const INTEGER = /^-?(0|[1-9]\d{0,14})$/;

/**
 * Checks query parameters parsed from a URL.
 *
 * @param parameters texts; a list where a parameter was given more than once.
 * @returns the parameters with their defaults filled in, or their faults, parameter by parameter.
 */
export const checkAgainstQuery = (
  check: QueryCheck,
  parameters: Readonly<Record<string, unknown>>,
):
  | { readonly kind: 'query'; readonly query: unknown }
  | { readonly kind: 'problems'; readonly problems: readonly FieldProblem[] } => {
  const given = Object.entries(parameters);
  const repeated = given
    .filter(([, value]) => Array.isArray(value))
    .map(([name]) => ({ pointer: `/${name}`, detail: 'is given more than once' }));
  if (repeated.length > 0) return { kind: 'problems', problems: repeated };
  const read = (name: string, value: unknown): unknown =>
    check.integers.includes(name) && typeof value === 'string' && INTEGER.test(value) ? Number(value) : value;
  const values = Object.fromEntries(given.map(([name, value]) => [name, read(name, value)]));
  const checked = checkAgainstBody(check, values);
  if (checked.kind === 'body') return { kind: 'query', query: checked.body };
  const problems = checked.problems.map((problem) =>
    problem.detail === NOT_A_MEMBER
      ? { ...problem, detail: 'is not a parameter of this operation' }
      : problem,
  );
  return { kind: 'problems', problems };
};
