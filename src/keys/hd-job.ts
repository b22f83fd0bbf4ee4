import { MAX_INDEX } from './derivation-path.ts';
import { type IndexRange, type MasterSource, type SharedBytes, share } from './key-task.ts';
import { type MnemonicWords, passphraseSalt } from './mnemonic.ts';
import type { RecordFormat } from './wallet-record.ts';

/**
 * An HD master and its children, all changes of the first account first. `json` produces one document, `{"master":…,"wallets":[…]}`; the
 * other formats produce the master's record, then a record per child.
 */
export type HdJob = {
  readonly source: HdSource;
  /** x of m/44'/501'/x'/y'; at least one, none above 2^31 − 1. */
  readonly accounts: IndexRange;
  /** y of the path, likewise. */
  readonly change: IndexRange;
  readonly format: RecordFormat;
  readonly createdAt: Date;
  /** A part of it: without the first `skip` records, of which the master's is the first, and at most this many children. Not for `json`. */
  readonly part?: { readonly skip: number; readonly children: number };
};

/**
 * The source of the master: a new mnemonic, which its record then has; the canonical bytes from `readMnemonic`; or a seed of 16 to 64
 * bytes. Bytes are copied when the job starts.
 */
export type HdSource =
  | { readonly kind: 'new'; readonly words: MnemonicWords; readonly passphrase?: string | undefined }
  | { readonly kind: 'mnemonic'; readonly mnemonic: Uint8Array; readonly passphrase?: string | undefined }
  | { readonly kind: 'seed'; readonly seed: Uint8Array };

/** Returns the source as the threads get it, with the memory that must be wiped after the job. */
export function shareSource(source: HdSource): {
  readonly shared: MasterSource;
  readonly secrets: readonly SharedBytes[];
} {
  if (source.kind === 'seed') {
    const seed = share(source.seed);
    return { shared: { kind: 'seed', seed }, secrets: [seed] };
  }
  const salt = shareSalt(source.passphrase);
  if (source.kind === 'new') return { shared: { kind: 'new', words: source.words, salt }, secrets: [salt] };
  const mnemonic = share(source.mnemonic);
  return { shared: { kind: 'mnemonic', mnemonic, salt }, secrets: [mnemonic, salt] };
}

/** Returns the salt of a passphrase in shared memory. The passphrase itself is a string, which cannot be wiped. */
export function shareSalt(passphrase: string | undefined): SharedBytes {
  const salt = passphraseSalt(passphrase);
  const shared = share(salt);
  salt.fill(0);
  return shared;
}

/** True when every index of a range is valid in SLIP-0010. */
export function isIndexRange({ start, count }: IndexRange): boolean {
  const isWhole = Number.isInteger(start) && Number.isInteger(count);
  return isWhole && start >= 0 && count >= 1 && start + count - 1 <= MAX_INDEX;
}
