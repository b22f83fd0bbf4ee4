import type { DerivationIndexes } from './derivation-path.ts';
import type { KeyEngine } from './engine.ts';
import type { MnemonicWords } from './mnemonic.ts';
import type { RecordFormat } from './wallet-record.ts';

/** Bytes that all threads see in one place, so that wiping them once wipes them everywhere. */
export type SharedBytes = Uint8Array<SharedArrayBuffer>;

/** An unbroken range of indexes. */
export type IndexRange = { readonly start: number; readonly count: number };

/** What every task of a job has. `stop` is not 0 from when on nobody wants the job any more. */
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
  readonly mnemonic: WantedMnemonic | undefined;
};

export type WantedMnemonic = {
  readonly words: MnemonicWords;
  readonly salt: SharedBytes;
  readonly path: DerivationIndexes;
};

/** The master of an HD job: writes the node m/44'/501' into `coin` and gives the master's record. */
export type MasterTask = OfJob & {
  readonly kind: 'master';
  readonly source: MasterSource;
  readonly coin: SharedBytes;
};

export type MasterSource =
  | { readonly kind: 'new'; readonly words: MnemonicWords; readonly salt: SharedBytes }
  | { readonly kind: 'mnemonic'; readonly mnemonic: SharedBytes; readonly salt: SharedBytes }
  | { readonly kind: 'seed'; readonly seed: SharedBytes };

/** Some children of an HD job, counted row by row: all changes of the first account, then of the next. */
export type ChildrenTask = OfJob & {
  readonly kind: 'children';
  readonly coin: SharedBytes;
  readonly accounts: IndexRange;
  readonly change: IndexRange;
  readonly from: number;
  readonly count: number;
};

/** Loads the engine and proves it. */
export type CheckTask = { readonly kind: 'check' };

export type KeyTask = WalletsTask | MasterTask | ChildrenTask | CheckTask;

/** The records of a task; `isStopped` where the job was given up meanwhile, and there are none. */
export type TaskResult = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly count: number;
  readonly isStopped: boolean;
};

/** What a task gives when its job was given up. */
export function nothing(): TaskResult {
  return { bytes: new Uint8Array(0), count: 0, isStopped: true };
}

/** What a thread is started with. */
export type WorkerSettings = { readonly engine: KeyEngine['kind'] };

/** Whether nobody wants the job of a task any more. */
export function isStopped({ stop }: OfJob): boolean {
  return Atomics.load(stop, 0) !== 0;
}

/** Copies bytes to where all threads see them; the original is left as it is. */
export function share(bytes: Uint8Array): SharedBytes {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
