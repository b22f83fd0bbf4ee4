import type { ErrorObject } from 'ajv';
import { pointerTo } from '../problem.ts';
import { allowedNames } from './allowed-names.ts';

/** A fault at a place of a document. */
export type Fault = { readonly pointer: string; readonly message: string };

/** Describes a validator's error for the document's author. */
export const toFault = (error: ErrorObject): Fault => {
  const { instancePath: pointer, keyword, parentSchema, params } = error;
  const { additionalProperty, missingProperty, allowedValues, allowedValue } = params;
  if (typeof additionalProperty === 'string')
    return {
      pointer: pointerTo(pointer, additionalProperty),
      message: `unknown member${allowedNames(additionalProperty, Object.keys(parentSchema?.properties ?? {}))}`,
    };
  if (typeof missingProperty === 'string')
    return { pointer, message: `member ${missingProperty} is missing` };
  if (Array.isArray(allowedValues)) return { pointer, message: `must be one of ${allowedValues.join(', ')}` };
  if (keyword === 'const') return { pointer, message: `must be ${JSON.stringify(allowedValue)}` };
  return { pointer, message: error.message ?? `does not fit ${keyword}` };
};

/** Leaves out that no branch of a union fits, if a branch gives the reason. */
export const specificErrors = (errors: readonly ErrorObject[]): readonly ErrorObject[] => {
  const plain = errors.filter(({ keyword }) => !SUMMARIES.includes(keyword));
  const isExplained = (path: string): boolean =>
    plain.some(({ instancePath }) => instancePath.startsWith(path));
  return errors.filter((error) => plain.includes(error) || !isExplained(error.instancePath));
};

const SUMMARIES: readonly string[] = ['if', 'anyOf', 'const'];
