import type { SQL } from 'drizzle-orm';
import { anyOf } from '../../store/any-of.ts';
import { and, eq, notInArray } from '../../store/drizzle.ts';
import { serviceError } from '../../core/service-error.ts';
import { gateways } from '../../store/access-tables.ts';
import { toServiceError } from '../../core/service-error.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import { keyIntents } from '../../store/wallet-tables.ts';
import type { NewKey } from '../../signer/signer.ts';
import { transact } from '../transact.ts';
import type { WalletDeps } from '../wallet-deps.ts';
import type { WalletContext } from '../wallet-context.ts';

/** New keys without a row. */
export type MadeKeys = {
  readonly keys: readonly NewKey[];
  /**
   * Call it in the transaction that stores them; undefined if there is nothing to do.
   *
   * @throws ServiceError `keyBackendFailed` if another process assumes that this one is gone and destroys some of them: nothing may be
   *   committed then.
   */
  readonly keep: ((tx: StoreTransaction) => Promise<void>) | undefined;
  /** Destroys keys that were not stored; those that cannot be destroyed now are destroyed when the next process starts. */
  readonly drop: () => Promise<void>;
};

/**
 * Makes a key for each of an account's new wallets. If keys are objects in a token, an intent is recorded first.
 *
 * @throws ServiceError `signerUnavailable`, `keyBackendFailed`, `storeUnavailable`: nothing stays behind then.
 */
export async function makeKeys(
  context: Pick<WalletContext, keyof WalletDeps | 'signal' | 'caller'>,
  walletIds: readonly string[],
): Promise<MadeKeys> {
  const { signer, signal, caller, ownerId, clock } = context;
  const { accountId } = caller;
  const owners = walletIds.map((walletId) => ({ walletId, accountId }));
  if (signer.capabilities().keysIn === 'row') {
    return { keys: await signer.create(owners, { signal }), keep: undefined, drop: async () => undefined };
  }
  const intents = owners.map((owner) => ({ ...owner, ownerId, createdAt: new Date(clock.nowMs()) }));
  await transact(context, async (tx) => void (await tx.insert(keyIntents).values(intents)));
  const isOurs = and(anyOf(keyIntents.walletId, walletIds), eq(keyIntents.ownerId, ownerId));
  const drop = (): Promise<void> =>
    destroyIntended(context, () =>
      // Locks the rows: a transaction that stores them, and whose outcome is unknown, ends first.
      transact(context, (tx) => tx.select().from(keyIntents).where(isOurs).for('update')),
    );
  try {
    const keys = await signer.create(owners, { signal });
    return { keys, keep: (tx) => takeBack(tx, isOurs, walletIds.length), drop };
  } catch (error) {
    await drop();
    throw error;
  }
}

/**
 * Destroys token objects without a wallet, made by processes that are gone. Call it when a process starts. It takes over the intents first:
 * a process that was only stalled can then store none of these keys.
 */
export async function destroyAbandonedKeys(deps: WalletDeps): Promise<void> {
  const { store, ownerId } = deps;
  const alive = store.db.select({ id: gateways.id }).from(gateways);
  const isAbandoned = notInArray(keyIntents.ownerId, alive);
  await destroyIntended(deps, () =>
    transact(deps, (tx) => tx.update(keyIntents).set({ ownerId }).where(isAbandoned).returning()),
  );
}

/** Deletes the intents of stored keys. */
async function takeBack(tx: StoreTransaction, isOurs: SQL | undefined, count: number): Promise<void> {
  const taken = await tx.delete(keyIntents).where(isOurs).returning({ walletId: keyIntents.walletId });
  if (taken.length === count) return;
  const lost = count - taken.length;
  throw serviceError(
    'keyBackendFailed',
    {},
    new Error(`another process is destroying ${lost} of ${count} new keys`),
  );
}

type Intent = typeof keyIntents.$inferSelect;

/** An intent that still exists has no wallet: both are written in one transaction. */
async function destroyIntended(deps: WalletDeps, find: () => Promise<readonly Intent[]>): Promise<void> {
  try {
    for (const { walletId, accountId } of await find()) {
      await deps.signer.destroy({ walletId, accountId });
      await transact(deps, async (tx) => {
        await tx.delete(keyIntents).where(eq(keyIntents.walletId, walletId));
      });
    }
  } catch (error) {
    const { message: reason } = toServiceError(error);
    deps.log.error(
      { reason },
      'cannot destroy keys without a wallet; they stay in the HSM token until the next start',
    );
  }
}
