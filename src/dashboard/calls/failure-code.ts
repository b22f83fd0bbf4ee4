import { RestCallError } from '../../../runtime/rest-call.ts';

/** Returns the code of the problem that a call was refused with; undefined for every other failure. */
export function failureCode(error: unknown): string | undefined {
  return error instanceof RestCallError && error.failure.kind === 'problem' ? error.failure.code : undefined;
}

/** True if a call was refused because nobody is signed in. */
export function isSignedOut(error: unknown): boolean {
  const code = failureCode(error);
  return code === 'session_missing' || code === 'session_invalid';
}

/** Returns how many seconds a refused call asks to wait; undefined where it does not say. */
export function retryAfterSeconds(error: unknown): number | undefined {
  return error instanceof RestCallError && 'retryAfterSeconds' in error.failure
    ? error.failure.retryAfterSeconds
    : undefined;
}
