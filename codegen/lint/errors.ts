import { posix } from 'node:path';
import { isJsonObject } from '../json.ts';
import type { Sources } from '../load.ts';
import { type CatalogueError, type ContextType, ERRORS_FILE, readCatalogue } from '../model/errors.ts';
import type { Problem } from '../problem.ts';
import { allowedNames } from './allowed-names.ts';
import { createShapeCheck } from './shape.ts';
import { ERRORS_SHAPE } from './shapes.ts';

const checkShape = createShapeCheck(ERRORS_SHAPE);

/**
 * errors.yaml: its shape; an error has a wire form; placeholders and data are in the context, and the context is used; data has at most one
 * schema, which exists; a code has one HTTP status; the example of a problem fills its context.
 */
export const lintErrors = (sources: Sources): readonly Problem[] => {
  const file = sources.get(ERRORS_FILE);
  if (!isJsonObject(file)) return [problem('', 'the error catalogue is missing')];
  const shape = checkShape(ERRORS_FILE, file);
  if (shape.length > 0) return shape;
  const errors = readCatalogue(sources);
  return errors.flatMap((error) => [
    ...checkForms(error),
    ...checkContext(error),
    ...checkExample(error),
    ...checkData(error, sources),
    ...checkStatus(error, errors),
  ]);
};

const checkForms = ({ name, jsonrpc, problem: form, close, grpc }: CatalogueError): readonly Problem[] => {
  if (jsonrpc || form || close || grpc?.message !== undefined) return [];
  return [
    grpc
      ? problem(`/${name}/grpc`, 'the message is missing, and no other form provides it')
      : problem(`/${name}`, 'the error needs jsonrpc, problem, grpc or close'),
  ];
};

const checkContext = ({
  name,
  jsonrpc,
  problem: form,
  grpc,
  close,
  context,
  data,
}: CatalogueError): readonly Problem[] => {
  const known = Object.keys(context);
  const texts = [
    { at: 'jsonrpc/message', names: placeholdersOf(jsonrpc?.message) },
    { at: 'problem/detail', names: placeholdersOf(form?.detail) },
    { at: 'grpc/message', names: placeholdersOf(grpc?.message) },
    { at: 'close/reason', names: placeholdersOf(close?.reason) },
  ];
  const placeholders = texts.flatMap(({ names }) => names);
  const unknown = (names: readonly string[]) => names.filter((item) => !known.includes(item));
  return [
    ...texts.flatMap(({ at, names }) =>
      unknown(names).map((item) =>
        problem(`/${name}/${at}`, `placeholder {${item}} is not in the context${allowedNames(item, known)}`),
      ),
    ),
    ...unknown(data).map((item) =>
      problem(`/${name}/data`, `${item} is not in the context${allowedNames(item, known)}`),
    ),
    ...known
      .filter((item) => !placeholders.includes(item) && !data.includes(item))
      .map((item) => problem(`/${name}/context/${item}`, 'neither the message nor the data uses it')),
  ];
};

const placeholdersOf = (text = ''): readonly string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, placeholder = '']) => placeholder);

/** An example of a problem with a context fills exactly that context. */
const checkExample = ({ name, problem: form, context }: CatalogueError): readonly Problem[] => {
  if (!form) return [];
  const example = form.example ?? {};
  const wrong = Object.entries(context).filter(([member, type]) => !isOf(example[member], type));
  const unknown = Object.keys(example).filter((member) => !(member in context));
  const at = `/${name}/problem/example`;
  return [
    ...wrong.map(([member, type]) => problem(at, `the example lacks ${member} as ${type}`)),
    ...unknown.map((member) =>
      problem(`${at}/${member}`, `not in the context${allowedNames(member, Object.keys(context))}`),
    ),
  ];
};

const isOf = (value: unknown, type: ContextType): boolean => {
  if (type === 'integer') return Number.isInteger(value);
  return type === 'string' ? typeof value === 'string' : Array.isArray(value);
};

const checkData = ({ name, data, dataSchema }: CatalogueError, sources: Sources): readonly Problem[] => {
  if (!dataSchema) return [];
  const target = posix.join(posix.dirname(ERRORS_FILE), dataSchema.$ref);
  return [
    ...(sources.has(target) ? [] : [problem(`/${name}/dataSchema/$ref`, `there is no ${target}`)]),
    ...(data.length > 0 ? [problem(`/${name}/data`, 'dataSchema already describes the data')] : []),
  ];
};

const checkStatus = (
  { name, http, jsonrpc }: CatalogueError,
  errors: readonly CatalogueError[],
): readonly Problem[] => {
  if (!jsonrpc) return [];
  const first = errors.find((other) => other.jsonrpc?.code === jsonrpc.code);
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
