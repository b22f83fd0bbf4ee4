import { serviceError } from '../base/service-error.ts';
import { DEFAULT_PATH, type DerivationIndexes } from './derivation-path.ts';
import { shareSalt } from './hd-job.ts';
import { type Job, newJob } from './job-runner.ts';
import type { WalletsTask } from './key-task.ts';
import type { MnemonicWords } from './mnemonic.ts';

/** New client wallets. With `mnemonicWords` each is made from a mnemonic of its own, at m/44'/501'/0'/0' unless `path` differs. */
export type NewWallets = {
  readonly mnemonicWords?: MnemonicWords | undefined;
  /** Passphrase of the mnemonics; none is the empty one. */
  readonly passphrase?: string | undefined;
  readonly path?: DerivationIndexes | undefined;
  /** One value for all records; written with milliseconds. */
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
      throw serviceError('internalError', {}, new TypeError('only what has a mnemonic is derived'));
    }
    const job = newJob(signal, []);
    return { job, task: { ...common, stop: job.stop, mnemonic: undefined } };
  }
  const salt = shareSalt(passphrase);
  const job = newJob(signal, [salt]);
  return { job, task: { ...common, stop: job.stop, mnemonic: { words, salt, path: path ?? DEFAULT_PATH } } };
}
