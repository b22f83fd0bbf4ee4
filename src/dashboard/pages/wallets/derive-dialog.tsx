import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreateHdWalletsRequest, WalletMetadata } from '../../../../generated/wallets/types.ts';
import { wallets } from '../../calls/credentials.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { formatCount } from '../../parts/format-number.ts';
import { readForm } from '../../parts/read-form.ts';
import { Progress } from '../../parts/progress.tsx';
import { CostNote } from './cost-note.tsx';
import { NumberField } from './number-field.tsx';
import { useStoppable } from '../../parts/use-stoppable.ts';

type DeriveDialogProps = { readonly master: WalletMetadata; readonly onClose: () => void };

type Range = NonNullable<CreateHdWalletsRequest['accounts']>;

const MAX_INDEX = 2_147_483_647;

/** Derives a range of wallets from a managed master. */
export function DeriveDialog({ master, onClose }: DeriveDialogProps) {
  const client = useQueryClient();
  const { begin, stop } = useStoppable();
  const [progress, setProgress] = useState({ received: 0, count: 0 });
  const derive = useMutation({
    mutationFn: async (ranges: { readonly accounts: Range; readonly change: Range }) => {
      setProgress({ received: 0, count: 0 });
      const body = { master_wallet_id: master.wallet_id, ...ranges, format: 'jsonl' } as const;
      const stream = await (await wallets()).createHdWallets(body, { signal: begin() });
      // The first line is the master itself.
      for await (const _ of stream)
        setProgress({ received: Math.max(stream.received, 0), count: stream.count ?? 0 });
      return stream.received - 1;
    },
    onSettled: () => void client.invalidateQueries({ queryKey: ['wallets'] }),
  });
  return (
    <Dialog
      title="Derive wallets"
      description="At m/44'/501'/x'/y'. Existing wallets are included free of charge; destroyed wallets cannot be derived again."
      isSticky={derive.isPending}
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const range = (name: string): Range => ({
            start: Number(readForm(form, `${name}-start`)),
            count: Number(readForm(form, `${name}-count`)),
          });
          derive.mutate({ accounts: range('accounts'), change: range('change') });
        }}
      >
        <div className="field-pair">
          <NumberField name="accounts-start" label="First x" from={0} to={MAX_INDEX} initial={0} />
          <NumberField name="accounts-count" label="Number of x" from={1} to={1_000_000} initial={10} />
        </div>
        <div className="field-pair">
          <NumberField name="change-start" label="First y" from={0} to={MAX_INDEX} initial={0} />
          <NumberField name="change-count" label="Number of y" from={1} to={1_000_000} initial={1} />
        </div>
        <CostNote
          price="hd_child_derivation"
          per="Each new wallet"
          operation={['Create wallets', 'createHdWallets']}
        />
        {derive.isPending && (
          <Progress label="Derived wallets" value={progress.received} limit={Math.max(progress.count, 1)} />
        )}
        {derive.isSuccess && <p role="status">{formatCount(derive.data)} wallets are ready.</p>}
        <ErrorNotice error={derive.error} operation={['Create wallets', 'createHdWallets', 'wallets']} />
        <div className="actions">
          {derive.isPending ? (
            <Button type="button" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button type="button" onClick={onClose}>
              Close
            </Button>
          )}
          <Button type="submit" kind="primary" isBusy={derive.isPending}>
            Derive
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
