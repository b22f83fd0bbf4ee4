import { serviceError } from '../../core/service-error.ts';

/** The error for an option that cannot be followed. `cause` stays internal. */
export function optionProblem(problem: string, cause?: unknown) {
  return serviceError('invalidConfig', { problems: `localnet: ${problem}` }, cause);
}

/** The code of an error of the operating system, such as ENOENT, or its kind. */
export function errorKind(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return error instanceof Error ? error.name : 'unknown error';
}
