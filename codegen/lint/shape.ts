import { Ajv } from 'ajv';
import { printJson, type Json } from '../json.ts';
import type { Problem } from '../problem.ts';
import { specificErrors, toFault } from './fault.ts';

/** Checks that documents have the members of their kind. */
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
      : specificErrors(validate.errors ?? []).map((error) => ({
          file,
          ...toFault(error),
          rule: 'shape',
          blocking: true,
        }));
};

/** Exact integers beyond 2^53 count as numbers here. */
const asNumbers = (value: Json): unknown => JSON.parse(printJson(value));
