import { Unexpected } from '../../src/store/expectation.ts';

const DIVISION_BY_ZERO = '22012';

/** Whether a statement was refused because something was not as it expected, and for no other reason. */
export function isUnexpected(error: unknown): boolean {
  return (
    error instanceof Unexpected ||
    (error instanceof Error && 'code' in error && error.code === DIVISION_BY_ZERO)
  );
}
