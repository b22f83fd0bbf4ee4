import type { Files } from '../../area.ts';
import type { WalletsModel } from '../../model/wallets/wallets.ts';
import { HEADER } from '../../text.ts';
import { compileModule } from '../../validators/compile.ts';
import { prepareBody } from '../../validators/prepare-body.ts';

/** test/wallets/answers/<operationId>.js: validators of what operations answer, and of problems; for tests only. */
export const renderAnswers = (model: WalletsModel): Files => {
  const modules = model.operations.flatMap(({ id, success }) =>
    success.content.flatMap(({ media, schema, itemSchema }) => {
      const written = schema ?? itemSchema;
      return written && media !== 'text/csv'
        ? [{ id, media, written, name: media === 'application/json' ? id : `${id}Line` }]
        : [];
    }),
  );
  const all = [
    ...modules,
    { id: '', media: '', written: { $ref: '#/components/schemas/Problem' }, name: 'problem' },
  ];
  return {
    ...Object.fromEntries(
      all.map(({ name, written }) => [
        `test/wallets/answers/${name}.js`,
        HEADER + compileModule(prepareBody(written, model.schemas), '../../../runtime', { allErrors: true }),
      ]),
    ),
    'test/wallets/answers.js': `${HEADER}${all.map(({ name }) => `import { validate as ${name} } from './answers/${name}.js';\n`).join('')}
/** Whole JSON answers and problems. */
export const ANSWER_VALIDATORS = { ${all.map(({ name }) => name).join(', ')} };
`,
    'test/wallets/answers.d.ts': `${HEADER}import type { BodyFault } from '../../runtime/check-body.ts';

/** \`errors\` belongs to the last call. */
export type AnswerValidator = { (answer: unknown): boolean; errors?: readonly BodyFault[] | null };

/** By operation for JSON, by operation and \`Line\` for the lines of a stream, and \`problem\`. */
export declare const ANSWER_VALIDATORS: Readonly<Record<${all.map(({ name }) => `'${name}'`).join(' | ')}, AnswerValidator>>;
`,
  };
};
