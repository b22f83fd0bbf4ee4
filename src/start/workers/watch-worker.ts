import type { EventEmitter } from 'node:events';
import { watchForHang } from './watch-for-hang.ts';

/** A process is given this long to join: on a busy machine the start of one can take long. */
export const JOIN_MS = 60_000;

export type WatchOptions = {
  readonly process: Pick<EventEmitter, 'once'>;
  readonly joinMs: number;
  /** Calls the process, which answers from when it joins. */
  readonly ping: (timeoutMs: number) => Promise<unknown>;
  /** Called once, if the process has not joined in time, or hangs afterwards. */
  readonly onSilence: (silence: Silence) => void;
};

/** Why a process counts as hanging: no calls were answered, or it did not join. */
export type Silence =
  | { readonly kind: 'missed'; readonly missed: number }
  | { readonly kind: 'absent'; readonly waitedMs: number };

/** Watches a process of a worker from its start to its exit. @returns a function that is to be called when it joins. */
export function watchWorker({ process, joinMs, ping, onSilence }: WatchOptions): () => void {
  let isOver = false;
  const timer = setTimeout(() => onSilence({ kind: 'absent', waitedMs: joinMs }), joinMs);
  let stop = (): void => clearTimeout(timer);
  process.once('exit', () => {
    isOver = true;
    stop();
  });
  return () => {
    stop();
    // What a process has sent can arrive after its exit.
    if (!isOver) stop = watchForHang(ping, (missed) => onSilence({ kind: 'missed', missed }));
  };
}
