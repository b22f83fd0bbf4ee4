import { isJsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { ERRORS_FILE, readErrors } from '../model/errors.ts';
import type { Problem } from '../problem.ts';
import { createShapeCheck } from './shape.ts';
import { ERRORS_SHAPE } from './shapes.ts';

const checkShape = createShapeCheck(ERRORS_SHAPE);

/** errors.yaml: its shape; placeholders and data are in the context; the context is used; codes are of one HTTP status. */
export const lintErrors = (sources: Sources): readonly Problem[] => {
  const file = sources.get(ERRORS_FILE);
  if (!isJsonObject(file)) return [problem('', 'the error catalogue is missing')];
  const shape = checkShape(ERRORS_FILE, file);
  return shape.length > 0
    ? shape
    : readErrors(sources).flatMap(({ name, jsonrpc, context, data }) => {
        const known = Object.keys(context);
        const placeholders = [...jsonrpc.message.matchAll(/\{(\w+)\}/g)].map(
          ([, placeholder]) => placeholder ?? '',
        );
        const unknown = (names: readonly string[]) => names.filter((item) => !known.includes(item));
        return [
          ...unknown(placeholders).map((item) =>
            problem(`/${name}/jsonrpc/message`, `placeholder {${item}} is not in the context`),
          ),
          ...unknown(data).map((item) => problem(`/${name}/data`, `${item} is not in the context`)),
        ];
      });
};

const problem = (pointer: string, message: string): Problem => ({
  file: ERRORS_FILE,
  pointer,
  rule: 'errors',
  message,
  blocking: true,
});
