import { useState } from 'react';
import type { CreateWalletBatchRequest } from '../../../../../generated/wallets/types.ts';
import { wallets } from '../../../calls/credentials.ts';
import { useStoppable } from '../../../parts/use-stoppable.ts';
import { openFileTarget } from './file-target.ts';
import type { FileFormat } from './print-wallet.ts';
import { type BatchEnd, type BatchProgress, runBatch } from './run-batch.ts';

/** The content of a batch, and its file. */
export type BatchOrder = {
  readonly count: number;
  readonly mnemonicWords: CreateWalletBatchRequest['mnemonic_words'];
  readonly format: FileFormat;
};

/** A started batch. With its idempotency key, charged wallets that did not arrive can be requested again. */
type BegunBatch = {
  readonly order: BatchOrder;
  readonly idempotencyKey: string;
  /** The number of wallets in the first file; absent for the first file itself. */
  readonly arrivedBefore?: number;
};

type BatchState = {
  readonly isRunning: boolean;
  readonly isStopped: boolean;
  readonly isOnDisk: boolean;
  readonly progress: BatchProgress;
  readonly begun?: BegunBatch;
  readonly end?: BatchEnd;
  /** The error of opening or writing the file. */
  readonly failure?: unknown;
};

const IDLE: BatchState = {
  isRunning: false,
  isStopped: false,
  isOnDisk: false,
  progress: { written: 0, announced: undefined },
};

/** A batch of client wallets: its state, and functions that start it, stop it, and get missing wallets. */
export function useBatch() {
  const [state, setState] = useState<BatchState>(IDLE);
  const { begin, stop } = useStoppable();

  const run = async (begun: BegunBatch): Promise<void> => {
    const { order, idempotencyKey, arrivedBefore: walletsReceived } = begun;
    try {
      const target = await openFileTarget(fileName(begun));
      if (target === undefined) return;
      const signal = begin();
      setState({ ...IDLE, isRunning: true, isOnDisk: target.isOnDisk, begun });
      const options = { signal, idempotencyKey, ...(walletsReceived !== undefined && { walletsReceived }) };
      const end = await runBatch({
        open: async () => (await wallets()).createWalletBatch(bodyOf(order), options),
        onProgress: (progress) => setState((before) => ({ ...before, progress })),
        target,
        format: order.format,
      });
      setState((before) => ({ ...before, isRunning: false, isStopped: signal.aborted, end }));
    } catch (failure) {
      setState((before) => ({ ...before, isRunning: false, failure }));
    }
  };

  return {
    ...state,
    start: (order: BatchOrder) => run({ order, idempotencyKey: newIdempotencyKey() }),
    /** Gets charged wallets that did not arrive, into another file. */
    getRest: async ({ order, idempotencyKey }: BegunBatch, { written }: BatchEnd) =>
      run({ order, idempotencyKey, arrivedBefore: written }),
    stop,
    reset: () => setState(IDLE),
  };
}

function fileName({ order: { count, format }, arrivedBefore }: BegunBatch): string {
  return `wallets-${count}${arrivedBefore === undefined ? '' : '-rest'}.${format}`;
}

function bodyOf({ count, mnemonicWords }: BatchOrder): CreateWalletBatchRequest {
  const words = mnemonicWords === undefined ? {} : { mnemonic_words: mnemonicWords };
  return { count, custody: 'client', format: 'jsonl', ...words };
}

const BYTES = 16;

/** Returns 128 random bits in hexadecimal; pages without TLS have no `randomUUID`. */
function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(BYTES))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
