import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { BillingSettings } from '../../../../../generated/account/types.ts';
import { Button } from '../../../parts/button.tsx';
import { formatUsd } from '../../../parts/format-number.ts';
import { Lines } from '../../../parts/lines.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import { useScopes } from '../../../session/session.tsx';
import { SETTINGS_KEY } from '../keys.ts';
import { NoticesDialog } from './notices-dialog.tsx';
import { RecipientDialog } from './recipient-dialog.tsx';

/** When the account is told that its balance runs low, and what its invoices are addressed to. */
export function SettingsPanel({ settings }: { readonly settings: BillingSettings }) {
  const [shown, setShown] = useState<'notices' | 'recipient'>();
  const mayManage = useScopes('billing:manage');
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const dialog = {
    settings,
    onSaved: (saved: BillingSettings): void => {
      client.setQueryData(SETTINGS_KEY, saved);
      close();
    },
    onClose: close,
  };
  const { notify_below_usd: notices, recipient } = settings;
  return (
    <section className="panel" aria-labelledby="billing-settings">
      <div className="panel-head">
        <h2 id="billing-settings">Settings</h2>
        <ReferenceLink operation={['Billing', 'changeBillingSettings']} />
      </div>
      <div className="setting">
        <p>
          <strong>Notices of a low balance</strong>
          <br />
          <span className="muted">
            {notices.length === 0
              ? 'None.'
              : `When less than ${notices.map(formatUsd).join(', less than ')} can be spent.`}
          </span>
        </p>
        {mayManage && (
          <Button type="button" onClick={() => setShown('notices')}>
            Change the notices
          </Button>
        )}
      </div>
      <div className="setting">
        <div>
          <strong>Recipient of invoices</strong>
          <address className="muted">
            {recipient === '' ? (
              'Not set: invoices have the name of the account alone.'
            ) : (
              <Lines text={recipient} />
            )}
          </address>
        </div>
        {mayManage && (
          <Button type="button" onClick={() => setShown('recipient')}>
            Change the recipient
          </Button>
        )}
      </div>
      {shown === 'notices' && <NoticesDialog {...dialog} />}
      {shown === 'recipient' && <RecipientDialog {...dialog} />}
    </section>
  );
}
