/** True for what the browser throws when the member chooses no file, or work is stopped. */
export function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
