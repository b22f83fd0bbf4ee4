import { serviceError } from '../service-error.ts';
import { DEFAULT_PATH, type DerivationIndexes, MAX_INDEX } from './derivation-path.ts';
import { type Job, newJob } from './job-runner.ts';
import { type WalletsTask, type IndexRange, type MasterSource, type SharedBytes, share } from './key-task.ts';
import { type MnemonicWords, passphraseSalt } from './mnemonic.ts';
import type { RecordFormat } from './wallet-record.ts';

/** New client wallets. With `mnemonicWords` each is derived from its own mnemonic, at m/44'/501'/0'/0' unless `path` differs. */
export type NewWallets = {
  readonly mnemonicWords?: MnemonicWords | undefined;
  /** Passphrase of the mnemonics; none is the empty one. */
  readonly passphrase?: string | undefined;
  readonly path?: DerivationIndexes | undefined;
  /** The same value in all records; written with milliseconds. */
  readonly createdAt: Date;
};

/** The common parts of the tasks of a job of new wallets. */
export type WalletsInCommon = Omit<WalletsTask, 'format' | 'isFirst' | 'count'>;

/** Creates a job of new wallets. @throws ServiceError `internalError` if there is a passphrase or a path but no mnemonic. */
export function openNewWallets(
  { mnemonicWords: words, passphrase, path, createdAt }: NewWallets,
  signal: AbortSignal,
): { readonly job: Job; readonly task: WalletsInCommon } {
  const common = { kind: 'wallets' as const, createdAt: createdAt.toISOString() };
  if (words === undefined) {
    if (passphrase !== undefined || path !== undefined) {
      throw serviceError('internalError', {}, new TypeError('a passphrase or a path needs a mnemonic'));
    }
    const job = newJob(signal, []);
    return { job, task: { ...common, stop: job.stop, mnemonic: undefined } };
  }
  const salt = shareSalt(passphrase);
  const job = newJob(signal, [salt]);
  return { job, task: { ...common, stop: job.stop, mnemonic: { words, salt, path: path ?? DEFAULT_PATH } } };
}

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
  /**
   * A part of the job: without the first `skip` records, of which the master's is the first, and at most this many children. Not for
   * `json`.
   */
  readonly part?: { readonly skip: number; readonly children: number };
};

/**
 * The source of the master: a new mnemonic, which is then in its record; the canonical bytes from `readMnemonic`; or a seed of 16 to 64
 * bytes. Bytes are copied when the job starts.
 */
type HdSource =
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
function shareSalt(passphrase: string | undefined): SharedBytes {
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
