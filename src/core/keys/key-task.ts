import type { DerivationIndexes } from './derivation-path.ts';
import type { KeyEngine } from './engine.ts';
import type { MnemonicWords } from './mnemonic.ts';
import type { RecordFormat } from './wallet-record.ts';

/** Bytes that all threads share, so that wiping them once wipes them everywhere. */
export type SharedBytes = Uint8Array<SharedArrayBuffer>;

/** A contiguous range of indexes. */
export type IndexRange = { readonly start: number; readonly count: number };

/** The common members of a job's tasks. `stop` becomes non-zero when the job is no longer needed. */
type OfJob = {
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly format: RecordFormat;
  /** RFC 3339. */
  readonly createdAt: string;
};

/** New wallets. With `mnemonic`, each from a mnemonic of its own. */
export type WalletsTask = OfJob & {
  readonly kind: 'wallets';
  readonly count: number;
  readonly isFirst: boolean;
  readonly mnemonic: MnemonicParams | undefined;
};

export type MnemonicParams = {
  readonly words: MnemonicWords;
  readonly salt: SharedBytes;
  readonly path: DerivationIndexes;
};

/** The master of an HD job: writes the node m/44'/501' into `coin` and returns the master's record. */
export type MasterTask = OfJob & {
  readonly kind: 'master';
  readonly source: MasterSource;
  readonly coin: SharedBytes;
};

export type MasterSource =
  | { readonly kind: 'new'; readonly words: MnemonicWords; readonly salt: SharedBytes }
  | { readonly kind: 'mnemonic'; readonly mnemonic: SharedBytes; readonly salt: SharedBytes }
  | { readonly kind: 'seed'; readonly seed: SharedBytes };

/** Some children of an HD job, numbered row by row: all changes of the first account, then of the next. */
export type ChildrenTask = OfJob & {
  readonly kind: 'children';
  readonly coin: SharedBytes;
  readonly accounts: IndexRange;
  readonly change: IndexRange;
  readonly from: number;
  readonly count: number;
};

/** Loads the engine and runs its known-answer tests; with `comparesReference` it is compared with the reference engine too. */
export type CheckTask = { readonly kind: 'check'; readonly comparesReference?: boolean };

export type KeyTask = WalletsTask | MasterTask | ChildrenTask | CheckTask;

/** The records of a task; `isStopped` if the job was cancelled meanwhile, and there are no records. */
export type TaskResult = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly isStopped: boolean;
};

/** Returns the result of a task whose job was cancelled. */
export function nothing(): TaskResult {
  return { bytes: new Uint8Array(0), count: 0, isStopped: true };
}

/** The settings of a thread. */
export type WorkerSettings = { readonly engine: KeyEngine['kind'] };

/** True when the job of a task is no longer needed. */
export function isStopped({ stop }: OfJob): boolean {
  return Atomics.load(stop, 0) !== 0;
}

/** Copies bytes to shared memory; the original is left as it is. */
export function share(bytes: Uint8Array): SharedBytes {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
