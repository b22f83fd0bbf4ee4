import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SignRequest, WalletMetadata } from '../../../../generated/wallets/types.ts';
import { wallets } from '../../calls/credentials.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Select, TextArea } from '../../parts/field.tsx';
import { KeyText } from '../../parts/key-text.tsx';
import { readForm } from '../../parts/read-form.ts';
import { CostNote } from './cost-note.tsx';

type Encoding = NonNullable<SignRequest['encoding']>;

const ENCODINGS: readonly { readonly value: Encoding; readonly text: string }[] = [
  { value: 'utf8', text: 'Text, signed as UTF-8' },
  { value: 'base64', text: 'Bytes in base-64' },
  { value: 'base58', text: 'Bytes in base-58' },
  { value: 'hex', text: 'Bytes in hexadecimal' },
];

type SignDialogProps = { readonly wallet: WalletMetadata; readonly onClose: () => void };

/** Signs a message with a managed wallet and shows the signature. */
export function SignDialog({ wallet, onClose }: SignDialogProps) {
  const [encoding, setEncoding] = useState<Encoding>('utf8');
  const sign = useMutation({
    mutationFn: async (body: SignRequest) => (await wallets()).signWithWallet(wallet.wallet_id, body),
  });
  return (
    <Dialog
      title="Sign a message"
      description="Whoever has a signed transaction can send it. Sign only what you know."
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          sign.mutate({ message: readForm(event.currentTarget, 'message'), encoding });
        }}
      >
        <TextArea name="message" label="Message" rows={4} spellCheck={false} required onChange={sign.reset} />
        <Select
          label="It is"
          value={encoding}
          options={ENCODINGS}
          onChange={(event) => {
            const chosen = ENCODINGS.find(({ value }) => value === event.currentTarget.value);
            if (chosen !== undefined) setEncoding(chosen.value);
            sign.reset();
          }}
        />
        <CostNote
          price="managed_signing"
          per="A signature"
          operation={['Managed wallets', 'signWithWallet']}
        />
        {sign.data !== undefined && (
          <div className="wallet-named" role="status">
            <span className="muted">Signature, in base-58</span>
            <KeyText text={sign.data.signature} noun="signature" isWhole />
          </div>
        )}
        <ErrorNotice error={sign.error} operation={['Managed wallets', 'signWithWallet', 'wallets']} />
        <div className="actions">
          <Button type="button" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" kind="primary" isBusy={sign.isPending}>
            Sign
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
