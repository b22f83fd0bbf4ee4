import type { Signer } from '../../signer/signer.ts';
import {
  addEntries,
  EMPTY_RECORD,
  ENTRY_BYTES,
  isSameRecord,
  type RecordState,
} from '../../signer/tombstones/record-chain.ts';
import { refuse } from './refusal.ts';

/** An earlier state of a record. */
export type KnownState = RecordState & {
  /** The source of this state, for people. */
  readonly where: string;
};

const RESTORE =
  'restore the directory signer/ of the data directory, whole, from its newest backup; if what is missing is lost for good, see keyslot signer adopt';

/**
 * Reads the whole record of destroyed keys of a signer, and compares it with the states known elsewhere. A longer record is fine: the other
 * side was restored from a backup, or a crash came before it was updated.
 *
 * @throws ServiceError `signerNotStarted` when keys are missing or differ.
 */
export async function checkRecord(
  signer: Pick<Signer, 'readTombstones'>,
  known: readonly KnownState[],
): Promise<RecordState> {
  let read = EMPTY_RECORD;
  for (;;) {
    const page = await signer.readTombstones(read.count);
    if (page.fingerprints.length === 0) break;
    for (let rest = page.fingerprints; rest.length > 0; ) {
      const next = known.map(({ count }) => count - read.count).filter((count) => count > 0);
      const step = ENTRY_BYTES * Math.min(rest.length / ENTRY_BYTES, ...next);
      read = addEntries(read, rest.subarray(0, step));
      rest = rest.subarray(step);
      assertKnown(read, known);
    }
  }
  for (const { count, where } of known) {
    if (count > read.count)
      throw refuse(`its record has ${read.count} destroyed keys, but ${where} lists ${count}: ${RESTORE}`);
  }
  return read;
}

function assertKnown(read: RecordState, known: readonly KnownState[]): void {
  for (const state of known) {
    if (state.count === read.count && !isSameRecord(read, state))
      throw refuse(
        `its record has other destroyed keys than the ${read.count} that ${state.where} lists: ${RESTORE}`,
      );
  }
}
