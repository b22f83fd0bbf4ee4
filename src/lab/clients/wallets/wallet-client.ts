import type { AskingDeps } from '../ask-until-answered.ts';
import type { ClientDeps } from '../client-deps.ts';
import { CodeTurns, type DestroyingDeps, destroyOne, tryDestroyed } from './destroy-steps.ts';
import type { WalletBook } from './wallet-book.ts';
import { createBatch, createOne, signWithOne } from './wallet-steps.ts';

const BETWEEN_MS = 40;
/** Of so many steps one creates a wallet, one a batch; one tries to sign with a destroyed one; the others sign. */
const STEPS = 12;

export type WalletDeps = AskingDeps & DestroyingDeps & Pick<ClientDeps, 'over'>;

/** A client of the wallet service with an account of its own: everything is asked for under a key, until it is answered. */
export async function runWalletClient(deps: WalletDeps, book: WalletBook): Promise<void> {
  const { over, random, pause, nowMs } = deps;
  const codes = new CodeTurns(nowMs);
  for (let step = 0; !over.aborted; step++) {
    const at = random(STEPS);
    if (step === 0 || at < 2) await createOne(deps, book);
    else if (book.living.size > 1 && codes.take()) await destroyOne(deps, book);
    else if (at < 4 && book.destroyed.size > 0) await tryDestroyed(deps, book);
    else if (at === 4) await createBatch(deps, book);
    else await signWithOne(deps, book);
    await pause(BETWEEN_MS);
  }
}
