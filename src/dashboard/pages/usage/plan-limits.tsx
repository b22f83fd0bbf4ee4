import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { RequestLimit } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { formatCount } from '../../parts/format-number.ts';
import './plan-limits.css';

/** The limits of the account, and what is left of them. */
export function PlanLimits() {
  const own = useQuery({
    queryKey: ['account'],
    queryFn: ({ signal }) => account.getAccount({ signal }),
    refetchInterval: 10_000,
  });
  const { plan, wallet_create_limit: create, wallet_use_limit: use } = own.data ?? {};
  return (
    <section className="panel" aria-labelledby="limits">
      <div className="panel-head">
        <h2 id="limits">Limits</h2>
        <Link href="/settings">Ask for more</Link>
      </div>
      <ErrorNotice error={own.error} operation={['Account', 'getAccount']} />
      <dl className="limits">
        <div>
          <dt>Each API key{plan !== undefined && `, plan ${plan.name}`}</dt>
          <dd className="cell-lines">
            <span>{plan === undefined ? '…' : `${formatCount(plan.requests_per_second)} a second`}</span>
            <span>{plan === undefined ? '…' : `at most ${formatCount(plan.burst)} at once`}</span>
          </dd>
        </div>
        <div>
          <dt>Creating wallets</dt>
          <LimitLines limit={create} />
        </div>
        <div>
          <dt>Using wallets</dt>
          <LimitLines limit={use} />
        </div>
      </dl>
      <p className="field-hint">Limits of calls count by weight: a call of weight 2 counts as two.</p>
    </section>
  );
}

/** Takes its space even while it is loading, so that nothing moves. */
function LimitLines({ limit }: { readonly limit: RequestLimit | undefined }) {
  return (
    <dd className="cell-lines">
      <span>{limit === undefined ? '…' : printLimit(limit)}</span>
      <span>{limit === undefined ? '…' : `${formatCount(limit.remaining)} left now`}</span>
      <meter
        aria-label="Left now"
        max={limit?.requests ?? 1}
        low={(limit?.requests ?? 1) / 5}
        value={limit?.remaining ?? 0}
      />
    </dd>
  );
}

function printLimit({ requests, window_seconds: seconds }: RequestLimit): string {
  const span = seconds === 1 ? 'a second' : seconds === 60 ? 'a minute' : `in ${seconds} seconds`;
  return `${formatCount(requests)} requests ${span}`;
}
