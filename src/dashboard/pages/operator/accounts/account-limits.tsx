import type { ReactNode } from 'react';
import type { OperatedAccount } from '../../../../../generated/account/types.ts';
import { Button } from '../../../parts/button.tsx';
import { Count } from '../../../parts/number.tsx';
import { describeWindow } from '../../settings/describe-window.ts';
import { LIMIT_TEXTS } from '../../settings/limit-texts.ts';
import { SOURCES } from '../sources.ts';
import type { AccountDialog } from './account-dialog.ts';

type AccountLimitsProps = {
  readonly shown: OperatedAccount;
  /** Absent if the member may not change them. */
  readonly onOpen: ((dialog: AccountDialog) => void) | undefined;
};

/** Plan and limits of an account, their sources, and buttons to set them. */
export function AccountLimits({ shown, onOpen }: AccountLimitsProps) {
  const { plan } = shown;
  return (
    <section className="panel" aria-labelledby="limits">
      <h2 id="limits">Plan and limits</h2>
      <Setting
        title={LIMIT_TEXTS.plan.title}
        action={
          onOpen !== undefined && (
            <Button type="button" onClick={() => onOpen({ kind: 'plan' })}>
              Change the plan
            </Button>
          )
        }
      >
        {plan.name}: <Count value={plan.requests_per_second} /> a second, <Count value={plan.burst} /> at
        once, for each API key
      </Setting>
      {(['wallet_create', 'wallet_use'] as const).map((limit) => {
        const { requests, window_seconds, source } = shown[`${limit}_limit`];
        return (
          <Setting
            key={limit}
            title={LIMIT_TEXTS[limit].title}
            action={
              onOpen !== undefined && (
                <Button
                  type="button"
                  aria-label={`Set the limit: ${LIMIT_TEXTS[limit].title}`}
                  onClick={() => onOpen({ kind: 'limit', limit })}
                >
                  Set the limit
                </Button>
              )
            }
          >
            {describeWindow({ requests, window_seconds })}, {SOURCES[source]}
          </Setting>
        );
      })}
    </section>
  );
}

type SettingProps = {
  readonly title: string;
  readonly action: ReactNode;
  readonly children: ReactNode;
};

function Setting({ title, action, children }: SettingProps) {
  return (
    <div className="setting">
      <p>
        <strong>{title}</strong>
        <br />
        <span className="muted">{children}</span>
      </p>
      {action}
    </div>
  );
}
