import type { Call } from '../rpc/call.ts';
import { NOT_BATCHED } from '../upstream/with-batches.ts';
import type { Outcome } from './outcome.ts';

/** Serves the calls that have no outcome yet. @returns the outcomes of all, in the order of the calls. */
export async function serveRemaining(
  calls: readonly Call[],
  known: readonly (Outcome | undefined)[],
  serve: (rest: readonly Call[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  const rest = calls.filter((_, place) => known[place] === undefined);
  const served = rest.length === 0 ? [] : await serve(rest);
  if (rest.length === calls.length) return served;
  let next = 0;
  return known.map((outcome) => outcome ?? served[next++] ?? NOT_BATCHED);
}

/** Serves the calls together but for those that must be served alone. */
export function serveWithout(
  isAlone: (call: Call) => boolean,
  calls: readonly Call[],
  serve: (rest: readonly Call[]) => Promise<readonly Outcome[]>,
): Promise<readonly Outcome[]> {
  // Most batches have none: nothing is made for them.
  if (!calls.some(isAlone)) return serve(calls);
  return serveRemaining(
    calls,
    calls.map((call) => (isAlone(call) ? NOT_BATCHED : undefined)),
    serve,
  );
}
