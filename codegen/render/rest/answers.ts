import type { Files } from '../../area.ts';
import { reachedFrom } from '../../model/reach.ts';
import { refTo, type Schema } from '../../model/schema.ts';
import { snakeCase, statusOf } from '../../model/errors.ts';
import type { RestSchema } from '../../model/rest/schema.ts';
import type { RestModel } from '../../model/rest/rest.ts';
import { HEADER, literal } from '../../text.ts';
import { prepareSharing } from '../../validators/prepare-body.ts';
import { answeredProblems, ownMembers } from './problem-schemas.ts';

const PROBLEM: Schema = { $ref: refTo('Problem') };

/** contract/<service>/answers.ts: validators of the answers of operations, and of problems; for the contract command and for tests. */
export const renderAnswers = (model: RestModel): Files => {
  const answers = answersOf(model);
  const problems = answeredProblems(model).map((problem) => {
    const own = Object.entries(ownMembers(problem)).map(([name, schema]) => [name, prepareSharing(schema)]);
    const beside = own.length === 0 ? '' : `, ${literal(Object.fromEntries(own))}`;
    return `${problem.name}Problem: problem('${snakeCase(problem.name)}', ${statusOf(problem)}${beside}),\n`;
  });
  return {
    [`contract/${model.service.folder}/answers.ts`]: `${HEADER}import { createLazyValidators, type Validator } from '../../../runtime/lazy-validators.ts';

/** The members that all problems have. */
const PROBLEM = ${literal(prepareSharing(model.schemas.get('Problem') ?? {}))};

const validator = createLazyValidators(${literal(definitionsOf(model, answers))}, { allErrors: true });

/** A problem: its code, its status, and members that only this one has. */
const problem = (code: string, status: number, own: Readonly<Record<string, object>> = {}): Validator =>
  validator({
    ...PROBLEM,
    required: [...PROBLEM.required, ...Object.keys(own)],
    properties: { ...PROBLEM.properties, code: { const: code }, status: { const: status }, ...own },
  });

/** By operation for JSON, by operation and \`Line\` for the lines of a stream, by error and \`Problem\`. */
export const ANSWER_VALIDATORS = {
${answers.map(({ name, schema }) => `${name}: validator(${literal(prepareSharing(schema))}),\n`).join('')}${problems.join('')}} satisfies Readonly<Record<string, Validator>>;
`,
  };
};

type Answer = { readonly name: string; readonly schema: RestSchema };

const answersOf = ({ operations }: RestModel): readonly Answer[] =>
  operations.flatMap(({ id, success }) =>
    success.content.flatMap(({ media, schema, itemSchema }) => {
      const answered = schema ?? itemSchema;
      return answered && media !== 'text/csv'
        ? [{ name: media === 'application/json' ? id : `${id}Line`, schema: answered }]
        : [];
    }),
  );

const definitionsOf = ({ schemas }: RestModel, answers: readonly Answer[]) => {
  const reached = reachedFrom({ anyOf: [PROBLEM, ...answers.map(({ schema }) => schema)] }, schemas);
  return Object.fromEntries(
    [...reached].flatMap(([title, schema]) => (title === 'Problem' ? [] : [[title, prepareSharing(schema)]])),
  );
};
