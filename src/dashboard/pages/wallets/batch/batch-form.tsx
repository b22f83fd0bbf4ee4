import { Button } from '../../../parts/button.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { Select } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';
import { CostNote } from '../cost-note.tsx';
import { NumberField } from '../number-field.tsx';
import { canStreamToDisk } from './file-target.ts';
import type { BatchOrder } from './use-batch.ts';

type BatchFormProps = {
  readonly error: unknown;
  readonly onStart: (order: BatchOrder) => Promise<void>;
  readonly onClose: () => void;
};

const MAX_WALLETS = 10_000;

const FORMATS = [
  { value: 'jsonl', text: 'JSONL, a wallet on each line' },
  { value: 'csv', text: 'CSV, for tables' },
];

const MNEMONICS = [
  { value: '', text: 'None: a key alone' },
  { value: '12', text: '12 words each' },
  { value: '24', text: '24 words each' },
];

const WORDS = { '12': 12, '24': 24 } as const;

/** What a batch is of, and where it goes. */
export function BatchForm({ error, onStart, onClose }: BatchFormProps) {
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
          ? 'You choose the file, and each wallet is written to it as it arrives.'
          : 'This browser cannot write to a file as wallets arrive: it holds them until the end, then saves a download.'}
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
