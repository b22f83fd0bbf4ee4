import type { Logger } from 'pino';
import { PLANS } from '../../../generated/plans.ts';
import type { Clock } from '../../core/clock.ts';
import { PART_MS } from './store-proof.ts';

/** The outcome of a proof: it is stored, or the part that failed. */
export type ProofOutcome = 'proved' | 'signer' | 'store';

export type ProofOptions = {
  /** Asks the signer for an answer. Resolves to `ready`, or to the problem; never rejects. */
  readonly askSigner: () => Promise<string>;
  /** Stores the proof of an instant; resolves to false if it was too late (see `storeProof`). */
  readonly store: (instantMs: number, isLate: () => boolean) => Promise<boolean>;
  readonly onOutcome: (outcome: ProofOutcome) => void;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error' | 'info'>;
};

type Result = { readonly outcome: ProofOutcome; readonly reason?: string };

const { deadline_ms: DEADLINE_MS } = PLANS.availability.proof;
const LATE = 'no answer in time';

/**
 * Proves in each part of a minute that this process serves wallets: the signer answers, and the store takes a write, in time. The first
 * proof is made at once, the others in the middle of a part, so that a timer that is late or early by a little loses none. A message is
 * logged when proofs begin to fail, and when they succeed again.
 *
 * @returns a function that stops it after the current proof.
 */
export function startProofs(options: ProofOptions): () => Promise<void> {
  const { onOutcome, clock, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = false;
  let isFailing = false;
  const note = ({ outcome, reason }: Result): void => {
    onOutcome(outcome);
    if (outcome !== 'proved' && !isFailing)
      log.error({ part: outcome, reason }, 'cannot serve wallets: this time counts as downtime');
    if (outcome === 'proved' && isFailing) log.info('serving wallets again');
    isFailing = outcome !== 'proved';
  };
  const run = async (): Promise<void> => {
    note(await prove(options));
    if (!isStopped) schedule();
  };
  const begin = (): void => {
    running = run();
  };
  const schedule = (): void => {
    const sinceMiddleMs = (clock.nowMs() + PART_MS / 2) % PART_MS;
    timer = setTimeout(begin, PART_MS - sinceMiddleMs).unref();
  };
  begin();
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return running;
  };
}

async function prove({ askSigner, store, clock }: ProofOptions): Promise<Result> {
  const startMs = clock.nowMs();
  const deadline = Promise.withResolvers<typeof LATE>();
  let hasEnded = false;
  const timer = setTimeout(() => {
    hasEnded = true;
    deadline.resolve(LATE);
  }, DEADLINE_MS);
  const isLate = (): boolean => hasEnded || clock.nowMs() - startMs >= DEADLINE_MS;
  try {
    const signer = await Promise.race([askSigner(), deadline.promise]);
    if (signer !== 'ready') return { outcome: 'signer', reason: signer };
    const stored = await Promise.race([storeOnce(store, startMs, isLate), deadline.promise]);
    return stored === true ? { outcome: 'proved' } : { outcome: 'store', reason: stored };
  } finally {
    clearTimeout(timer);
  }
}

/** @returns true, or the reason why the proof is not stored. Never rejects: after the deadline its result is ignored. */
async function storeOnce(
  store: ProofOptions['store'],
  startMs: number,
  isLate: () => boolean,
): Promise<true | string> {
  try {
    return (await store(startMs, isLate)) || LATE;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
