import type { ReactNode } from 'react';
import type { AuditRecord } from '../../../../generated/account/types.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Time } from '../../parts/time.tsx';

type RecordDialogProps = { readonly record: AuditRecord; readonly who: string; readonly onClose: () => void };

/** Everything that a record says. */
export function RecordDialog({ record, who, onClose }: RecordDialogProps) {
  return (
    <Dialog title={`Record ${record.seq}`} onClose={onClose}>
      <dl className="facts record-facts">
        <Fact name="Time">
          <Time at={record.at} />
        </Fact>
        <Fact name="Action">
          <code>{record.action}</code>
        </Fact>
        <Fact name="Outcome">
          <code>{record.outcome}</code>
        </Fact>
        <Fact name="Who">{who}</Fact>
        <Fact name="Wallets or requests">{record.units}</Fact>
        <Id name="Wallet" id={record.wallet_id} />
        <Id name="Acted on" id={record.subject} />
        <Id name="Request" id={record.request_id} />
        <Id name="Access token" id={record.token_id} />
        <Id name="Member" id={record.member_id} />
        <Id name="Address" id={record.address} />
        <Id name="Hash" id={record.hash} />
        <Id name="Hash of the record before" id={record.previous_hash} />
      </dl>
      <div className="actions">
        <Button type="button" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Id({ name, id }: { readonly name: string; readonly id: string | undefined }) {
  if (id === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd className="copyable">
        <code>{id}</code>
        <CopyButton text={id} label={`Copy: ${name}`} />
      </dd>
    </div>
  );
}
