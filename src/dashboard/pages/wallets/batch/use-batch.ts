import { useState } from 'react';
import type { CreateWalletBatchRequest } from '../../../../../generated/wallets/types.ts';
import { wallets } from '../../../calls/credentials.ts';
import { useStoppable } from '../use-stoppable.ts';
import { openFileTarget } from './file-target.ts';
import type { FileFormat } from './print-wallet.ts';
import { type BatchEnd, type BatchProgress, runBatch } from './run-batch.ts';

/** What a batch is of, and the file it goes to. */
export type BatchOrder = {
  readonly count: number;
  readonly mnemonicWords: CreateWalletBatchRequest['mnemonic_words'];
  readonly format: FileFormat;
};

type BatchState = {
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly isOnDisk: boolean;
  readonly progress: BatchProgress;
  readonly end?: BatchEnd;
  /** Why the file could not be opened or written. */
  readonly failure?: unknown;
};

const IDLE: BatchState = {
  isRunning: false,
  isStopped: false,
  isOnDisk: false,
  progress: { written: 0, announced: undefined },
};

/** A batch of client wallets: its state, and what starts and stops it. */
export function useBatch() {
  const [state, setState] = useState<BatchState>(IDLE);
  const { begin, stop } = useStoppable();

  const start = async ({ count, mnemonicWords, format }: BatchOrder): Promise<void> => {
    try {
      const target = await openFileTarget(`wallets-${count}.${format}`);
      if (target === undefined) return;
      const signal = begin();
      setState({ ...IDLE, isRunning: true, isOnDisk: target.isOnDisk });
      const body = { count, custody: 'client', format: 'jsonl', ...words(mnemonicWords) } as const;
      const end = await runBatch({
        open: async () => (await wallets()).createWalletBatch(body, { signal }),
        onProgress: (progress) => setState((before) => ({ ...before, progress })),
        ...{ target, format },
      });
      setState((before) => ({ ...before, isRunning: false, isStopped: signal.aborted, end }));
    } catch (failure) {
      setState({ ...IDLE, failure });
    }
  };

  return { ...state, start, stop, reset: () => setState(IDLE) };
}

function words(mnemonicWords: BatchOrder['mnemonicWords']) {
  return mnemonicWords === undefined ? {} : { mnemonic_words: mnemonicWords };
}
