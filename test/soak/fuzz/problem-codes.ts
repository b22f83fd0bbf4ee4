import { ERRORS } from '../../../generated/errors.ts';

/** Every code of a problem but that of an internal error. */
export const PROBLEM_CODES: ReadonlySet<unknown> = new Set(
  Object.values(ERRORS).flatMap((entry) =>
    'problem' in entry && entry !== ERRORS.internalError ? [entry.problem.code] : [],
  ),
);
