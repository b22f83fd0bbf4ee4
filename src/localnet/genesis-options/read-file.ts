import { readFileSync, statSync } from 'node:fs';
import { errorKind, optionProblem } from './option-problem.ts';

/** Larger than any account with its data in base-64. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Reads a file of an option. @throws ServiceError invalidConfig naming option and file. */
export function readFile(option: string, path: string): Buffer {
  let size: number;
  try {
    size = statSync(path).size;
  } catch (error) {
    throw optionProblem(`${option}: ${path} cannot be read (${errorKind(error)})`, error);
  }
  if (size > MAX_BYTES)
    throw optionProblem(`${option}: ${path} has ${size} bytes, and the limit is ${MAX_BYTES}`);
  try {
    return readFileSync(path);
  } catch (error) {
    throw optionProblem(`${option}: ${path} cannot be read (${errorKind(error)})`, error);
  }
}
