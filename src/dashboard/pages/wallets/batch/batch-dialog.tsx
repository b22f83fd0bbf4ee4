import { useEffect } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { isNothingMissing, mayHaveRest, describeEnd } from './describe-end.ts';
import { useBatch, type BatchOrder } from './use-batch.ts';
import { Button } from '../../../parts/button.tsx';
import { formatCount } from '../../../parts/format-number.ts';
import { Progress } from '../../../parts/progress.tsx';
import type { BatchEnd, BatchProgress } from './run-batch.ts';
import { Select } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { CostNote } from '../cost-note.tsx';
import { NumberField } from '../number-field.tsx';
import { canStreamToDisk } from './file-target.ts';

/** Creates many wallets whose keys are stored only in a file of the member. */
export function BatchDialog({ onClose }: { readonly onClose: () => void }) {
  const batch = useBatch();
  const { isRunning, isStopped, isOnDisk, begun, end, failure, progress } = batch;
  useStayingPut(isRunning);
  return (
    <Dialog
      title="Create a batch of client wallets"
      description="The secret keys go into your file. Neither the server nor this page keeps them."
      isSticky={isRunning}
      onClose={onClose}
    >
      {begun === undefined ? (
        <BatchForm error={failure} onStart={batch.start} onClose={onClose} />
      ) : (
        <>
          <BatchState
            progress={progress}
            end={end}
            isOnDisk={isOnDisk}
            {...(begun.arrivedBefore !== undefined && { arrivedBefore: begun.arrivedBefore })}
          />
          <ErrorNotice
            error={failure ?? (isStopped || isNothingMissing(end?.error) ? undefined : end?.error)}
            operation={['Create wallets', 'createWalletBatch', 'wallets']}
          />
          <BatchActions batch={batch} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

/** Asks before the window is closed while wallets arrive, because charged wallets would be lost. */
function useStayingPut(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isRunning]);
}

type BatchActionsProps = {
  readonly batch: ReturnType<typeof useBatch>;
  readonly onClose: () => void;
};

/** The actions of a started batch. */
function BatchActions({ batch, onClose }: BatchActionsProps) {
  const { isRunning, begun, end } = batch;
  if (isRunning)
    return (
      <div className="actions">
        <Button type="button" onClick={batch.stop}>
          Stop
        </Button>
      </div>
    );
  const hasRest = begun !== undefined && end !== undefined && mayHaveRest(end, begun.arrivedBefore);
  return (
    <div className="actions">
      <Button type="button" onClick={batch.reset}>
        Another batch
      </Button>
      {hasRest && (
        <Button type="button" onClick={() => void batch.getRest(begun, end)}>
          Get missing wallets
        </Button>
      )}
      <Button type="button" kind="primary" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}

type BatchStateProps = {
  readonly progress: BatchProgress;
  readonly end: BatchEnd | undefined;
  readonly isOnDisk: boolean;
  /** The number of wallets in an earlier file of the same batch. */
  readonly arrivedBefore?: number;
};

/** The progress of a batch, or its result. */
function BatchState({ progress, end, isOnDisk, arrivedBefore }: BatchStateProps) {
  const { written, announced } = progress;
  const limit = announced ?? 1;
  return (
    <div className="stack">
      {(end === undefined || announced !== undefined) && (
        <>
          <div className="progress-line">
            <span>{isOnDisk ? 'Written to the file' : 'Received; the file is saved at the end'}</span>
            <span className="number">
              {formatCount(written)} of {announced === undefined ? '…' : formatCount(announced)}
            </span>
          </div>
          <Progress label="Wallets in the file" value={written} limit={limit} />
        </>
      )}
      {end !== undefined && <p role="status">{describeEnd(end, arrivedBefore)}</p>}
      {end !== undefined && !isOnDisk && end.written > 0 && (
        <p className="muted">The browser has saved the file as a download.</p>
      )}
    </div>
  );
}

type BatchFormProps = {
  readonly error: unknown;
  readonly onStart: (order: BatchOrder) => Promise<void>;
  readonly onClose: () => void;
};

const MAX_WALLETS = 10_000;

const FORMATS = [
  { value: 'jsonl', text: 'JSONL, one wallet per line' },
  { value: 'csv', text: 'CSV, for spreadsheets' },
];

const MNEMONICS = [
  { value: '', text: 'None, only a key' },
  { value: '12', text: '12 words each' },
  { value: '24', text: '24 words each' },
];

const WORDS = { '12': 12, '24': 24 } as const;

/** The form for the content of a batch and its file. */
function BatchForm({ error, onStart, onClose }: BatchFormProps) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void onStart(readOrder(event.currentTarget));
      }}
    >
      <div className="field-pair">
        <NumberField name="count" label="Number of wallets" from={1} to={MAX_WALLETS} initial={100} />
        <Select name="format" label="Format" options={FORMATS} defaultValue="jsonl" />
      </div>
      <Select name="words" label="Mnemonic" options={MNEMONICS} defaultValue="" />
      <p>
        {canStreamToDisk()
          ? 'You choose a file, and each wallet is written to it as it arrives.'
          : 'This browser cannot write wallets to a file as they arrive: it collects them, then saves a download.'}
      </p>
      <CostNote
        price="wallet_creation"
        per="Each wallet"
        operation={['Create wallets', 'createWalletBatch']}
      />
      <ErrorNotice error={error} />
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" kind="primary">
          Create
        </Button>
      </div>
    </form>
  );
}

function readOrder(form: HTMLFormElement): BatchOrder {
  const words = readForm(form, 'words');
  return {
    count: Number(readForm(form, 'count')),
    mnemonicWords: words === '12' || words === '24' ? WORDS[words] : undefined,
    format: readForm(form, 'format') === 'csv' ? 'csv' : 'jsonl',
  };
}
