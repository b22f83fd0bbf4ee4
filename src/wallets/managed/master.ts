import { and, eq } from '../../store/drizzle.ts';
import { serviceError } from '../../base/service-error.ts';
import { wallets } from '../../store/wallet-tables.ts';
import { audit, charging } from '../audit.ts';
import { read, transact } from '../transact.ts';
import type { WalletContext } from '../wallet-context.ts';
import { createWalletId } from '../wallet-id.ts';
import { countMadeWallets } from './made-wallets.ts';
import { findWallet } from './find-wallet.ts';
import { toRow, type WalletRow } from './wallet-row.ts';
import { withSealedKeys } from './with-sealed-keys.ts';

const MASTER_PATH = 'm';

/** The price row of a master. */
export const MASTER_WORK = { operation: 'hd_master_creation', units: 1 } as const;

/**
 * Returns the master that a request names, or the one that an earlier try of the same request made; undefined if there is neither.
 *
 * @throws ServiceError `walletNotFound`, also for a wallet that is not a master.
 */
export async function findMaster(
  context: WalletContext,
  masterId: string | undefined,
): Promise<WalletRow | undefined> {
  if (masterId !== undefined) {
    const wallet = await findWallet(context, masterId);
    if (wallet.kind !== 'master') throw serviceError('walletNotFound');
    return wallet;
  }
  const { workId, state } = context.claim;
  if (workId === undefined || state === 'new') return undefined;
  const isMade = and(eq(wallets.workId, workId), eq(wallets.kind, 'master'));
  const [made] = await read(context, (db) => db.select().from(wallets).where(isMade));
  if (made !== undefined) return findWallet(context, made.id);
  // The earlier try made nothing; otherwise the master was destroyed since, and a repeated request makes no other one.
  if (state === 'begun' && (await countMadeWallets(context)).stored === 0) return undefined;
  throw serviceError('walletNotFound');
}

/** Makes a master from random bytes; it is charged at its own price, which is 0 by default. */
export function createMaster(context: WalletContext): Promise<WalletRow> {
  return withSealedKeys(context, () => create(context));
}

async function create(context: WalletContext): Promise<WalletRow> {
  const { caller, claim, clock, money } = context;
  const { accountId } = caller;
  const row = await makeMasterRow(context);
  await transact(context, async (tx) => {
    await claim.hold(tx);
    const receipt = await money.chargeNow(tx, { accountId, ...MASTER_WORK, nowMs: clock.nowMs() });
    await tx.insert(wallets).values(row);
    const fact = { action: 'create', outcome: 'ok', walletId: row.id };
    await audit(tx, context, charging([fact], [receipt.charge]));
  });
  return row;
}

/** Returns the unstored row of a new master. */
export async function makeMasterRow(context: WalletContext): Promise<WalletRow> {
  const { signer, caller, clock } = context;
  const id = createWalletId();
  const key = await signer.createMaster({ walletId: id, accountId: caller.accountId });
  const facts = { id, kind: 'master', derivationPath: MASTER_PATH, workSeq: 0 } as const;
  return toRow(context, key, facts, new Date(clock.nowMs()));
}
