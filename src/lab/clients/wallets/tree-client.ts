import { CodeTurns, destroyOne, tryDestroyed } from './destroy-steps.ts';
import { createTree, deriveChildren, deriveDestroyed } from './tree-steps.ts';
import type { WalletBook } from './wallet-book.ts';
import type { WalletDeps } from './wallet-client.ts';
import { signWithOne } from './wallet-steps.ts';

const BETWEEN_MS = 60;
/** Of so many steps one makes a master; some sign; some try what was destroyed; the others derive. */
const STEPS = 12;
const MOST_TREES = 12;

/** A client with HD masters in an account of its own: derives children, again and again, signs with them and destroys some. */
export async function runTreeClient(deps: WalletDeps, book: WalletBook): Promise<void> {
  const { over, random, pause, nowMs } = deps;
  const codes = new CodeTurns(nowMs);
  while (!over.aborted) {
    const at = random(STEPS);
    if (book.trees.size === 0 || (at === 0 && book.trees.size < MOST_TREES)) await createTree(deps, book);
    else if (codes.take()) await destroyOne(deps, book);
    else if (at === 1 && book.destroyed.size > 0) await tryDestroyed(deps, book);
    else if (at === 2 && book.destroyed.size > 0) await deriveDestroyed(deps, book);
    else if (at < 5) await signWithOne(deps, book);
    else await deriveChildren(deps, book);
    await pause(BETWEEN_MS);
  }
}
