import type { Outcome } from '../../gateway/ledger/outcome.ts';
import type { Call } from '../../core/rpc/call.ts';

/** The outcome of a call that has ended: its answer or its error. */
export type Ended = Exclude<Outcome, { readonly kind: 'not-batched' }>;

/** True if a call was not answered because its client disconnected. */
export function isGivenUp(ended: Ended, reason: Error | undefined): boolean {
  return reason !== undefined && ended.kind === 'failure' && ended.error === reason;
}

/** Consecutive calls of a method that ended in the same way. */
export type Run<K> = { readonly method: string; readonly outcome: K; calls: number };

/** Groups calls that were served together into runs by outcome, in order. Calls still to be served on their own are left out. */
export function countRuns<K extends string>(
  calls: readonly Call[],
  outcomes: readonly Outcome[],
  read: (ended: Ended) => K,
): readonly Run<K>[] {
  const runs: Run<K>[] = [];
  let run: Run<K> | undefined;
  for (let index = 0; index < calls.length; index++) {
    const method = calls[index]?.method;
    const ended = outcomes[index];
    if (method === undefined || ended === undefined || ended.kind === 'not-batched') continue;
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
