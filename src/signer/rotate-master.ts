import type { SealedKey } from './hsm/hsm.ts';
import type { Signer } from './signer.ts';

export type RotationOptions = {
  readonly signer: Pick<Signer, 'beginRotation' | 'reseal' | 'finishRotation'>;
  /** All wallets with a sealed key, from the first; called once for each pass. */
  readonly rows: () => AsyncIterable<SealedKey>;
  /** Writes the new sealed keys to the rows that still have the old ones, in one commit. */
  readonly write: (changes: readonly ResealedRow[]) => Promise<void>;
  /** Resolves when all work that holds a sealed key now, new or read, has committed, used or dropped it. */
  readonly settled: () => Promise<void>;
  readonly onProgress?: (progress: RotationProgress) => void;
};

/** A row with a newly sealed key. `was` is its old value, so that a row that was changed meanwhile is left alone. */
export type ResealedRow = SealedKey & { readonly was: Uint8Array };

export type RotationProgress = { readonly seen: number; readonly resealed: number };

const ROWS_AT_ONCE = 128;

/**
 * Seals every key under a new master key, while the old one is still live, and then drops the old one. A run that was killed is continued
 * by the next one: keys already sealed under the new key are skipped. The old key is dropped only after a pass that began after `settled`
 * and found no key under it, and when no work holds a key that was read before that pass.
 *
 * @throws ServiceError an error of the signer or the store; both master keys then stay live.
 */
export async function rotateMaster(options: RotationOptions): Promise<RotationProgress> {
  await options.signer.beginRotation();
  let total = await resealAll(options, 0);
  await options.settled();
  for (;;) {
    const pass = await resealAll(options, total.resealed);
    const isClean = pass.resealed === total.resealed;
    total = pass;
    if (isClean) break;
  }
  await options.settled();
  await options.signer.finishRotation();
  return total;
}

async function resealAll(options: RotationOptions, already: number): Promise<RotationProgress> {
  let progress = { seen: 0, resealed: already };
  for await (const rows of inGroups(options.rows())) {
    const outcomes = await options.signer.reseal(rows);
    const changes = rows.flatMap((row, index): readonly ResealedRow[] => {
      const outcome = outcomes[index];
      return outcome?.kind === 'resealed' ? [{ ...row, sealed: outcome.sealed, was: row.sealed }] : [];
    });
    if (changes.length > 0) await options.write(changes);
    progress = { seen: progress.seen + rows.length, resealed: progress.resealed + changes.length };
    options.onProgress?.(progress);
  }
  return progress;
}

async function* inGroups(rows: AsyncIterable<SealedKey>): AsyncGenerator<readonly SealedKey[]> {
  let group: SealedKey[] = [];
  for await (const row of rows) {
    group.push(row);
    if (group.length < ROWS_AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
