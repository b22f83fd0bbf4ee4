import { and, asc, count, eq, gt, max } from '../../store/drizzle.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { read } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import type { WalletRow } from '../wallet-row.ts';

const PAGE = 512;

/** Returns the number of wallets that earlier tries of a request have made, and the sequence number of the next one. */
export async function countMadeWallets(
  context: WalletContext,
): Promise<{ readonly stored: number; readonly next: number }> {
  const { workId, state } = context.claim;
  if (workId === undefined || state === 'new') return { stored: 0, next: 0 };
  const [made] = await read(context, (db) =>
    db
      .select({ stored: count(), last: max(wallets.workSeq) })
      .from(wallets)
      .where(eq(wallets.workId, workId)),
  );
  return { stored: made?.stored ?? 0, next: (made?.last ?? -1) + 1 };
}

/** Yields the wallets that earlier tries of a request have made, in order. */
export async function* readMadeWallets(
  context: WalletContext,
): AsyncGenerator<readonly WalletRow[], void, undefined> {
  const { workId, state } = context.claim;
  if (workId === undefined || state === 'new') return;
  for (let last = -1; ; ) {
    const isNext = and(eq(wallets.workId, workId), gt(wallets.workSeq, last));
    const rows = await read(context, (db) =>
      db.select().from(wallets).where(isNext).orderBy(asc(wallets.workSeq)).limit(PAGE),
    );
    const seq = rows.at(-1)?.workSeq;
    if (seq === undefined || seq === null) return;
    yield rows;
    last = seq;
  }
}
