import { PLANS } from '../../../generated/plans.ts';
import { serviceMinutes } from '../../store/billing-tables.ts';
import { sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { MINUTE_MS } from './month-span.ts';

const { parts_per_minute: PARTS } = PLANS.availability.proof;

/** The length of a part of a minute, in which each process proves once that it serves wallets. */
export const PART_MS = MINUTE_MS / PARTS;

/**
 * Stores that wallets were served in the part of the minute of an instant; parts that other processes proved stay. Storing it is itself a
 * part of the proof, so it is given up when it takes too long.
 *
 * @param isLate true once the proof does not count any more.
 * @returns false if it was too late and nothing is stored.
 */
export async function storeProof(
  store: Pick<Store, 'transaction'>,
  instantMs: number,
  isLate: () => boolean,
): Promise<boolean> {
  const minute = new Date(Math.floor(instantMs / MINUTE_MS) * MINUTE_MS);
  const slots = 1 << Math.floor((instantMs % MINUTE_MS) / PART_MS);
  try {
    await store.transaction(async (tx) => {
      if (isLate()) throw LATE;
      await tx
        .insert(serviceMinutes)
        .values({ minute, slots })
        .onConflictDoUpdate({
          target: serviceMinutes.minute,
          set: { slots: sql`${serviceMinutes.slots} | excluded.slots` },
        });
      if (isLate()) throw LATE;
    });
    return true;
  } catch (error) {
    if (error === LATE) return false;
    throw error;
  }
}

const LATE = new Error('the proof took too long');
