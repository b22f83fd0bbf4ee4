import { posix } from 'node:path';
import { isJsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { type ErrorModel, ERRORS_FILE, readErrors } from '../model/errors.ts';
import type { Problem } from '../problem.ts';
import { createShapeCheck } from './shape.ts';
import { ERRORS_SHAPE } from './shapes.ts';

const checkShape = createShapeCheck(ERRORS_SHAPE);

/**
 * errors.yaml: its shape; placeholders and data are in the context, and the context is used; data has one schema at most,
 * which exists; a code has one HTTP status.
 */
export const lintErrors = (sources: Sources): readonly Problem[] => {
  const file = sources.get(ERRORS_FILE);
  if (!isJsonObject(file)) return [problem('', 'the error catalogue is missing')];
  const shape = checkShape(ERRORS_FILE, file);
  if (shape.length > 0) return shape;
  const errors = readErrors(sources);
  return errors.flatMap((error) => [
    ...checkContext(error),
    ...checkData(error, sources),
    ...checkStatus(error, errors),
  ]);
};

const checkContext = ({ name, jsonrpc, context, data }: ErrorModel): readonly Problem[] => {
  const known = Object.keys(context);
  const placeholders = [...jsonrpc.message.matchAll(/\{(\w+)\}/g)].map(([, placeholder = '']) => placeholder);
  const unknown = (names: readonly string[]) => names.filter((item) => !known.includes(item));
  return [
    ...unknown(placeholders).map((item) =>
      problem(`/${name}/jsonrpc/message`, `placeholder {${item}} is not in the context`),
    ),
    ...unknown(data).map((item) => problem(`/${name}/data`, `${item} is not in the context`)),
    ...known
      .filter((item) => !placeholders.includes(item) && !data.includes(item))
      .map((item) => problem(`/${name}/context/${item}`, 'neither the message nor the data has it')),
  ];
};

const checkData = ({ name, data, dataSchema }: ErrorModel, sources: Sources): readonly Problem[] => {
  if (!dataSchema) return [];
  const target = posix.join(posix.dirname(ERRORS_FILE), dataSchema.$ref);
  return [
    ...(sources.has(target) ? [] : [problem(`/${name}/dataSchema/$ref`, `there is no ${target}`)]),
    ...(data.length > 0 ? [problem(`/${name}/data`, 'dataSchema says already what the data is')] : []),
  ];
};

const checkStatus = (
  { name, http, jsonrpc }: ErrorModel,
  errors: readonly ErrorModel[],
): readonly Problem[] => {
  const first = errors.find((other) => other.jsonrpc.code === jsonrpc.code);
  return first && first.http !== http
    ? [problem(`/${name}/http`, `code ${jsonrpc.code} has HTTP status ${first.http}, at /${first.name}`)]
    : [];
};

const problem = (pointer: string, message: string): Problem => ({
  file: ERRORS_FILE,
  pointer,
  rule: 'errors',
  message,
  blocking: true,
});
