import type { Files } from '../../area.ts';
import type { WalletsModel } from '../../model/wallets/wallets.ts';
import { HEADER } from '../../text.ts';
import { compileModule } from '../../validators/compile.ts';
import { prepareBody } from '../../validators/prepare-body.ts';
import { answeredProblems, problemMembers } from './problem-schemas.ts';

/** test/wallets/answers/<operationId>.js: validators of what operations answer, and of problems; for tests only. */
export const renderAnswers = (model: WalletsModel): Files => {
  const modules = model.operations.flatMap(({ id, success }) =>
    success.content.flatMap(({ media, schema, itemSchema }) => {
      const written = schema ?? itemSchema;
      return written && media !== 'text/csv'
        ? [{ written, name: media === 'application/json' ? id : `${id}Line` }]
        : [];
    }),
  );
  const all = [...modules, ...problemModules(model)];
  return {
    ...Object.fromEntries(
      all.map(({ name, written }) => [
        `test/wallets/answers/${name}.js`,
        HEADER + compileModule(prepareBody(written, model.schemas), '../../../runtime', { allErrors: true }),
      ]),
    ),
    'test/wallets/answers.js': `${HEADER}${all.map(({ name }) => `import { validate as ${name} } from './answers/${name}.js';\n`).join('')}
/** Whole JSON answers, and problems by the name of their error. */
export const ANSWER_VALIDATORS = { ${all.map(({ name }) => name).join(', ')} };
`,
    'test/wallets/answers.d.ts': `${HEADER}import type { BodyFault } from '../../runtime/check-body.ts';

/** \`errors\` belongs to the last call. */
export type AnswerValidator = { (answer: unknown): boolean; errors?: readonly BodyFault[] | null };

/** By operation for JSON, by operation and \`Line\` for the lines of a stream, by error and \`Problem\`. */
export declare const ANSWER_VALIDATORS: Readonly<Record<${all.map(({ name }) => `'${name}'`).join(' | ')}, AnswerValidator>>;
`,
  };
};

/** A problem of each error, whole: what all have, with what is its own. */
const problemModules = (model: WalletsModel) => {
  const common = model.schemas.get('Problem');
  return answeredProblems(model).map((problem) => {
    const { required, properties } = problemMembers(problem);
    return {
      name: `${problem.name}Problem`,
      written: {
        ...common,
        required: [...new Set([...(common?.required ?? []), ...required])],
        properties: { ...common?.properties, ...properties },
      },
    };
  });
};
