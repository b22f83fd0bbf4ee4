import { RestCallError } from '../../../runtime/rest-call.ts';

/** Returns the code of the problem that a call was refused with; undefined for every other failure. */
export function failureCode(error: unknown): string | undefined {
  return error instanceof RestCallError && error.failure.kind === 'problem' ? error.failure.code : undefined;
}

/** True if a call was refused because no member is signed in. */
export function isSignedOut(error: unknown): boolean {
  const code = failureCode(error);
  return code === 'session_missing' || code === 'session_invalid';
}

/** Returns the seconds to wait after a refused call; undefined if the server gives none. */
export function retryAfterSeconds(error: unknown): number | undefined {
  return error instanceof RestCallError && 'retryAfterSeconds' in error.failure
    ? error.failure.retryAfterSeconds
    : undefined;
}
