import type { Availability } from '../../../../generated/account/types.ts';
import { Count } from '../../parts/number.tsx';
import { Progress } from '../../parts/progress.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import { GET_AVAILABILITY } from './operations.ts';
import { printMinutes, printPercent, printTarget } from './print-minutes.ts';

/** The current month: its availability, and what is left of the error budget. */
export function MonthPanel({ shown }: { readonly shown: Availability }) {
  const { current, error_budget: budget, target_percent: target, service_credits: credits } = shown;
  const { minutes, planned_minutes: planned, credit_percent: credit } = current;
  return (
    <section className="panel" aria-labelledby="month">
      <div className="panel-head">
        <h2 id="month">This month</h2>
        <ReferenceLink operation={GET_AVAILABILITY} />
      </div>
      {credit > 0 && (
        <p className="notice notice-warn">
          Less than the {printTarget(target)} that are promised. If the month ended now, {credit} % of what
          the wallet service charged in it would be given back.
        </p>
      )}
      <dl className="service-figures">
        <div>
          <dt>Available, of {printTarget(target)} promised</dt>
          <dd className="service-figure">{printPercent(current.availability_percent)}</dd>
        </div>
        <div>
          <dt>Minutes so far</dt>
          <dd>
            <Count value={minutes} />
          </dd>
        </div>
        <div>
          <dt>Unavailable</dt>
          <dd className="number">{printMinutes(current.unavailable_minutes, 'up')} minutes</dd>
        </div>
        <div>
          <dt>Planned work, not counted</dt>
          <dd>
            <Count value={planned} /> minutes
          </dd>
        </div>
      </dl>
      <div className={Number(budget.left_minutes) < 0 ? 'budget budget-overdrawn' : 'budget'}>
        <Progress
          label="Error budget used"
          value={Number(budget.used_minutes)}
          limit={Math.max(Number(budget.allowed_minutes), Number.MIN_VALUE)}
        />
        <p>
          {printMinutes(budget.used_minutes, 'up')} of {printMinutes(budget.allowed_minutes)} minutes of the
          error budget are used.
        </p>
      </div>
      <p className="field-hint">
        Given back of what the wallet service charged in a month:{' '}
        {credits
          .map(
            ({ below_percent, credit_percent }) => `${credit_percent} % below ${printTarget(below_percent)}`,
          )
          .join(', ')}
        .
      </p>
    </section>
  );
}
