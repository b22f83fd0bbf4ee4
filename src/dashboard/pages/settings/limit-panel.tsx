import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Count } from '../../parts/number.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import { describeWindow } from './describe-window.ts';
import { LIMIT_TEXTS } from './limit-texts.ts';

const GET_ACCOUNT = ['Account', 'getAccount'] as const;

/** The plan and the limits of the account. */
export function LimitPanel() {
  const read = useQuery({ queryKey: ['account'], queryFn: ({ signal }) => account.getAccount({ signal }) });
  const { plan, wallet_create_limit, wallet_use_limit, billing } = read.data ?? {};
  return (
    <section className="panel" aria-labelledby="limits" aria-busy={read.isPending}>
      <div className="panel-head">
        <h2 id="limits">Plan and limits</h2>
        <ReferenceLink operation={GET_ACCOUNT} />
      </div>
      {read.isError ? (
        <ErrorNotice error={read.error} operation={GET_ACCOUNT}>
          <Button type="button" onClick={() => void read.refetch()}>
            Try again
          </Button>
        </ErrorNotice>
      ) : (
        <dl className="facts">
          <Fact title="Plan">{plan?.name}</Fact>
          <Fact title="Calls of each API key, by their weight">
            {plan && (
              <>
                <Count value={plan.requests_per_second} /> a second, <Count value={plan.burst} /> at once
              </>
            )}
          </Fact>
          <Fact title={LIMIT_TEXTS.wallet_create.title}>
            {wallet_create_limit && describeWindow(wallet_create_limit)}
          </Fact>
          <Fact title={LIMIT_TEXTS.wallet_use.title}>
            {wallet_use_limit && describeWindow(wallet_use_limit)}
          </Fact>
          <Fact title="Billing">
            {billing &&
              (billing === 'prepaid' ? 'Prepaid, from its balance' : 'Invoiced, up to a credit limit')}
          </Fact>
        </dl>
      )}
    </section>
  );
}

/** Keeps the height of its line while it is read. */
function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children ?? <span className="skeleton skeleton-line" />}</dd>
    </div>
  );
}
