import type { JsonObject } from '../../json.ts';
import { type ContextType, type ProblemModel, snakeCase, statusOf } from '../../model/errors.ts';
import { refTo } from '../../model/schema.ts';
import type { RestSchema } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';

/** The problems that operations answer, in name order. */
export const answeredProblems = ({ operations, problems }: RestModel): readonly ProblemModel[] => {
  const answered = new Set(operations.flatMap(({ errors }) => errors.map(({ error }) => error.name)));
  return problems.filter(({ name }) => answered.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** The title of the schema of a problem: `balanceInsufficient` to `BalanceInsufficientProblem`. */
export const problemTitle = ({ name }: ProblemModel): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}Problem`;

/** The members that distinguish a problem from all others: its code, its status and its data. */
export const problemMembers = (
  problem: ProblemModel,
): { readonly required: readonly string[]; readonly properties: Readonly<Record<string, RestSchema>> } => {
  const own = ownMembers(problem);
  return {
    required: ['code', 'status', ...Object.keys(own)],
    properties: {
      code: { type: 'string', const: snakeCase(problem.name) },
      status: { type: 'integer', const: statusOf(problem) },
      ...own,
    },
  };
};

/** The data members of a problem; all are required. */
export const ownMembers = ({ data, context }: ProblemModel): Readonly<Record<string, RestSchema>> =>
  Object.fromEntries(data.map((member) => [snakeCase(member), memberSchema(context[member])]));

/** The schema of a problem in the document: the common members and its own. */
export const problemSchema = (problem: ProblemModel): JsonObject => {
  const { required, properties } = problemMembers(problem);
  const own = { type: 'object', required, properties } as unknown as JsonObject;
  return { description: problem.summary, allOf: [{ $ref: refTo('Problem') }, own] };
};

const memberSchema = (type: ContextType | undefined): RestSchema =>
  type === 'fieldProblems'
    ? { type: 'array', items: { $ref: refTo('FieldProblem') } }
    : { type: type ?? 'string' };
