import type { Outcome } from '../ledger/outcome.ts';
import type { Call } from '../rpc/call.ts';

/** What a call was answered with, or why it was not. */
export type Ended = Exclude<Outcome, { readonly kind: 'alone' }>;

/** Whether a call was not answered because its client has left, and that was the reason. */
export function isGivenUp(ended: Ended, reason: Error | undefined): boolean {
  return reason !== undefined && ended.kind === 'failure' && ended.error === reason;
}

/** So many calls of a method, side by side, that ended in the same way. */
export type Run<K> = { readonly method: string; readonly outcome: K; calls: number };

/** How calls that were served together ended, in order. Those that are to be served alone have not ended. */
export function countRuns<K extends string>(
  calls: readonly Call[],
  outcomes: readonly Outcome[],
  read: (ended: Ended) => K,
): readonly Run<K>[] {
  const runs: Run<K>[] = [];
  let run: Run<K> | undefined;
  for (let place = 0; place < calls.length; place++) {
    const method = calls[place]?.method;
    const ended = outcomes[place];
    if (method === undefined || ended === undefined || ended.kind === 'alone') continue;
    const outcome = read(ended);
    if (run?.method === method && run.outcome === outcome) {
      run.calls++;
    } else {
      run = { method, outcome, calls: 1 };
      runs.push(run);
    }
  }
  return runs;
}
