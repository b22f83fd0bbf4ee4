import type { Wallet } from '../../../../../generated/wallets/types.ts';
import type { FileTarget } from './target.ts';
import { type FileFormat, printHead, printWallet } from './print-wallet.ts';

/** A stream of wallets, and their announced number. */
export type WalletStream = AsyncIterable<Wallet> & { readonly count: number | undefined };

/** The number of wallets in the file. */
export type BatchProgress = { readonly written: number; readonly announced: number | undefined };

/** The result of a batch; `error` is set if it is incomplete. */
export type BatchEnd = BatchProgress & { readonly error?: unknown };

type BatchRun = {
  readonly open: () => Promise<WalletStream>;
  readonly target: FileTarget;
  readonly format: FileFormat;
  readonly onProgress: (progress: BatchProgress) => void;
};

/** Wallets per write: one by one, the disk would take seconds for what arrives in one. */
const AT_ONCE = 250;

/**
 * Writes the wallets of a batch to a file as they arrive, and always closes the file: each wallet in it may have been charged and is stored
 * nowhere else. Rejects only if the file cannot be written.
 */
export async function runBatch({ open, target, format, onProgress }: BatchRun): Promise<BatchEnd> {
  let progress: BatchProgress = { written: 0, announced: undefined };
  let waiting: string[] = [];
  const flush = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const [lines, count] = [waiting.join(''), waiting.length];
    waiting = [];
    await target.write(progress.written === 0 ? printHead(format) + lines : lines);
    progress = { ...progress, written: progress.written + count };
    onProgress(progress);
  };
  try {
    const failure = await attempt(async () => {
      const stream = await open();
      progress = { ...progress, announced: stream.count };
      onProgress(progress);
      for await (const wallet of stream) {
        waiting.push(printWallet(format, wallet));
        if (waiting.length === AT_ONCE) await flush();
      }
    });
    await flush();
    return { ...progress, ...failure };
  } finally {
    await target.close();
  }
}

async function attempt(work: () => Promise<void>): Promise<{ readonly error?: unknown }> {
  try {
    await work();
    return {};
  } catch (error) {
    return { error };
  }
}
