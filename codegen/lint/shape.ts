import { Ajv, type ErrorObject } from 'ajv';
import { printJson, type Json } from '../json.ts';
import { pointerTo, type Problem } from '../problem.ts';

/** Checks that documents have the members their kind has. */
export type ShapeCheck = (file: string, value: Json) => readonly Problem[];

/** Compiles a shape (JSON Schema of the spec files themselves) into a check. */
export const createShapeCheck = (shape: object): ShapeCheck => {
  const validate = new Ajv({
    allErrors: true,
    strictTypes: false,
    strictRequired: false,
    verbose: true,
  }).compile(shape);
  return (file, value) =>
    validate(asNumbers(value))
      ? []
      : (validate.errors ?? []).filter(isTelling).map((error) => toProblem(file, error));
};

/** Exact integers beyond 2^53 stand for numbers here. */
const asNumbers = (value: Json): unknown => JSON.parse(printJson(value));

/** The branch errors tell; that no branch fits does not. */
const isTelling = (error: ErrorObject): boolean => error.keyword !== 'if';

const toProblem = (file: string, error: ErrorObject): Problem => {
  const problem = { file, rule: 'shape', blocking: true };
  const { additionalProperty, missingProperty, allowedValues } = error.params;
  if (typeof additionalProperty === 'string')
    return {
      ...problem,
      pointer: pointerTo(error.instancePath, additionalProperty),
      message: 'unknown member',
    };
  if (typeof missingProperty === 'string')
    return { ...problem, pointer: error.instancePath, message: `member ${missingProperty} is missing` };
  const allowed = Array.isArray(allowedValues) ? `: ${allowedValues.join(', ')}` : '';
  return { ...problem, pointer: error.instancePath, message: `${error.message ?? error.keyword}${allowed}` };
};
