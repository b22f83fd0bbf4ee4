import { useMutation, useQueryClient } from '@tanstack/react-query';
import { wallets } from '../../calls/credentials.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useState } from 'react';
import { CostNote } from './cost-note.tsx';

type CreateWalletDialogProps = {
  readonly onCreated: (walletId: string) => void;
  readonly onClose: () => void;
};

type Kind = 'single' | 'master';

const KINDS = [
  { value: 'single', text: 'A single wallet' },
  { value: 'master', text: 'An HD master, to derive wallets from' },
];

/** Creates a managed wallet with a label, or an HD master with its first child. */
export function CreateWalletDialog({ onCreated, onClose }: CreateWalletDialogProps) {
  const [kind, setKind] = useState<Kind>('single');
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (label: string) => (kind === 'single' ? createSingle(label) : createMaster()),
    onSuccess: (walletId) => {
      void client.invalidateQueries({ queryKey: ['wallets'] });
      onCreated(walletId);
    },
  });
  return (
    <FormDialog
      title="Create a managed wallet"
      action="Create"
      call={create}
      operation={['Create wallets', kind === 'single' ? 'createWallet' : 'createHdWallets', 'wallets']}
      onSubmit={(form) => create.mutate(readForm(form, 'label').trim())}
      onClose={onClose}
    >
      <Select
        label="Kind"
        value={kind}
        options={KINDS}
        onChange={(event) => setKind(event.currentTarget.value === 'master' ? 'master' : 'single')}
      />
      {kind === 'single' && (
        <Field
          name="label"
          label="Label (optional)"
          hint="What you find it by, such as deposit 4711."
          maxLength={100}
          autoComplete="off"
        />
      )}
      {kind === 'single' ? (
        <CostNote price="wallet_creation" per="The wallet" operation={['Create wallets', 'createWallet']} />
      ) : (
        <CostNote
          price="hd_child_derivation"
          per="The first child, m/44'/501'/0'/0',"
          operation={['Create wallets', 'createHdWallets']}
        />
      )}
    </FormDialog>
  );
}

async function createSingle(label: string): Promise<string> {
  const service = await wallets();
  return managedId(await service.createWallet({ custody: 'managed', ...(label !== '' && { label }) }));
}

async function createMaster(): Promise<string> {
  const service = await wallets();
  const { master } = await service.createHdWallets({ custody: 'managed' });
  return managedId(master);
}

function managedId(wallet: { readonly custody: string; readonly wallet_id?: string }): string {
  if (wallet.wallet_id === undefined) throw new Error('The server created a wallet that it does not keep.');
  return wallet.wallet_id;
}
