import { setImmediate } from 'node:timers/promises';

/** To parse more than this takes so long that others would notice. */
const LARGE_BYTES = 64 * 1024;

let last: Promise<unknown> = Promise.resolve();

/**
 * Waits for the turn to parse a body: large ones of all connections are parsed one after the other, and whatever else has come is served in
 * between. Undefined for a body that need not wait.
 */
export function turnToParse({ length }: Buffer): Promise<unknown> | undefined {
  if (length <= LARGE_BYTES) return undefined;
  last = last.then(() => setImmediate());
  return last;
}
