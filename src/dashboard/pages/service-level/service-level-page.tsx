import { useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Page } from '../../parts/page.tsx';
import { useScopes } from '../../session/session.tsx';
import { useAvailability, SERVICE_LEVEL_KEY } from './use-availability.ts';
import { WorkPanel } from './work-panel.tsx';
import './service-level-page.css';
import type { PastMonth, Availability } from '../../../../generated/account/types.ts';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Count, Usd } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { printMinutes, printPercent, printTarget } from './print-minutes.ts';
import { account } from '../../calls/account-client.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { readForm } from '../../parts/read-form.ts';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { describeStanding } from './work-texts.ts';
import { Progress } from '../../parts/progress.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';

/** The availability of the wallet service for the account, and planned work. */
export function ServiceLevelPage() {
  const [isAnnouncing, setAnnouncing] = useState(false);
  const mayManage = useScopes('operator:manage');
  const hasMoney = useScopes('billing:read');
  const client = useQueryClient();
  const read = useAvailability();
  const close = () => setAnnouncing(false);
  return (
    <Page
      title="Service level"
      lead="How available the wallet service was for this account."
      actions={
        mayManage && (
          <Button type="button" kind="primary" onClick={() => setAnnouncing(true)}>
            Announce work
          </Button>
        )
      }
    >
      {read.isPending && (
        <div className="panel service-wait" aria-busy="true">
          <span className="skeleton" />
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      )}
      {read.isError && (
        <ErrorNotice error={read.error} operation={GET_AVAILABILITY}>
          <Button type="button" onClick={() => void read.refetch()}>
            Try again
          </Button>
        </ErrorNotice>
      )}
      {read.data !== undefined && (
        <>
          <MonthPanel shown={read.data} />
          <WorkPanel works={read.data.planned_work} mayManage={mayManage} />
          <HistoryPanel history={read.data.history} hasMoney={hasMoney} />
        </>
      )}
      {isAnnouncing && (
        <AnnounceDialog
          onDone={() => {
            close();
            void client.invalidateQueries({ queryKey: SERVICE_LEVEL_KEY });
          }}
          onClose={close}
        />
      )}
    </Page>
  );
}

type HistoryPanelProps = { readonly history: readonly PastMonth[]; readonly hasMoney: boolean };

/** The past months. */
function HistoryPanel({ history, hasMoney }: HistoryPanelProps) {
  return (
    <section className="panel" aria-labelledby="history">
      <h2 id="history">Past months</h2>
      {history.length === 0 ? (
        <EmptyState title="No months yet">
          <p>Each month is listed here after its end.</p>
        </EmptyState>
      ) : (
        <Table
          caption="Past months"
          columns={hasMoney ? [...COLUMNS, CREDIT] : COLUMNS}
          rows={history}
          keyOf={({ month }) => month}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<PastMonth>[] = [
  { title: 'Month', show: ({ month }) => month },
  {
    title: 'Of',
    show: ({ of }) => (of === 'account' ? 'this account' : 'the service'),
  },
  {
    title: 'Available',
    kind: 'number',
    show: ({ availability_percent }) => <span>{printPercent(availability_percent)}</span>,
  },
  { title: 'Minutes', kind: 'number', show: ({ minutes }) => <Count value={minutes} /> },
  {
    title: 'Unavailable',
    kind: 'number',
    show: ({ unavailable_minutes }) => <span>{printMinutes(unavailable_minutes, 'up')}</span>,
  },
];

const CREDIT: Column<PastMonth> = {
  title: 'Refunded',
  kind: 'number',
  show: ({ credit_usd }) => credit_usd !== undefined && <Usd amount={credit_usd} />,
};

type AnnounceDialogProps = { readonly onDone: () => void; readonly onClose: () => void };

const LONGEST_MINUTES = 1_440;
const MINUTE_MS = 60_000;

/** Announces work on the server, then shows how much of it counts towards availability. */
function AnnounceDialog({ onDone, onClose }: AnnounceDialogProps) {
  const withFreshFactor = useFreshCall();
  const announce = useMutation({
    mutationFn: (body: Parameters<typeof account.announceWork>[0]) =>
      withFreshFactor(() => account.announceWork(body)),
    onSuccess: (work) => work.counts_because === undefined && onDone(),
  });
  if (announce.data !== undefined) {
    return (
      <Dialog title="The work was announced" description={describeStanding(announce.data)} onClose={onDone}>
        <div className="actions">
          <Button type="button" kind="primary" onClick={onDone}>
            Close
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Announce work"
      description="All accounts can see it. If you announce it a day in advance, its minutes do not count towards availability, up to the allowance of the month for planned work."
      action="Announce"
      call={announce}
      operation={ANNOUNCE_WORK}
      onSubmit={(form) => announce.mutate(readWork(form))}
      onClose={onClose}
    >
      <Field name="start" type="datetime-local" label="Start" hint="In your own time zone." required />
      <Field name="minutes" type="number" label="Minutes" min={1} max={LONGEST_MINUTES} step={1} required />
      <Field
        name="note"
        label="Description"
        hint="All accounts can read it. For example: move to a larger database."
        maxLength={200}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}

function readWork(form: HTMLFormElement): Parameters<typeof account.announceWork>[0] {
  const startMs = new Date(readForm(form, 'start')).getTime();
  const endMs = startMs + Number(readForm(form, 'minutes')) * MINUTE_MS;
  return {
    starts_at: new Date(startMs).toISOString(),
    ends_at: new Date(endMs).toISOString(),
    note: readForm(form, 'note').trim(),
  };
}

/** The current month: its availability and remaining error budget. */
function MonthPanel({ shown }: { readonly shown: Availability }) {
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
          Less than the promised {printTarget(target)}. If the month ended now, {credit} % of what the wallet
          service charged in it would be refunded.
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
        Refund of what the wallet service charged in a month:{' '}
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

/** The operations of the page, as the reference has them. */
const GET_AVAILABILITY = ['Service level', 'getAvailability'] as const;
const ANNOUNCE_WORK = ['Operators', 'announceWork'] as const;
