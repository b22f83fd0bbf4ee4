import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PlannedWork } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Count } from '../../parts/number.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { printTime } from '../../parts/calendar.ts';
import { Time } from '../../parts/time.tsx';
import { useFreshCall } from '../../session/fresh-factor.tsx';
import { SERVICE_LEVEL_KEY } from './use-availability.ts';
import { describeStanding, isPast, isToCome } from './work-texts.ts';

type WorkPanelProps = { readonly works: readonly PlannedWork[]; readonly mayManage: boolean };

/** Planned work, and past work below it, newest first; operators can cancel work before it begins. */
export function WorkPanel({ works, mayManage }: WorkPanelProps) {
  const [cancelled, setCancelled] = useState<PlannedWork>();
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const close = () => setCancelled(undefined);
  const nowMs = Date.now();
  const past = works.filter((work) => isPast(work, nowMs)).reverse();
  const planned = works.filter((work) => !isPast(work, nowMs));
  const columns: readonly Column<PlannedWork>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 0.9,
      show: (work) =>
        isToCome(work, nowMs) && (
          <Button
            type="button"
            aria-label={`Cancel the work: ${work.note}`}
            onClick={() => setCancelled(work)}
          >
            Cancel
          </Button>
        ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="work">
      <h2 id="work">Planned work</h2>
      {planned.length === 0 ? (
        <EmptyState title="No work is planned" />
      ) : (
        <Table
          caption="Planned work"
          columns={mayManage ? columns : COLUMNS}
          rows={planned}
          keyOf={({ work_id }) => work_id}
        />
      )}
      {past.length > 0 && (
        <>
          <h3>Past work</h3>
          <Table caption="Past work" columns={COLUMNS} rows={past} keyOf={({ work_id }) => work_id} />
        </>
      )}
      {cancelled !== undefined && (
        <ConfirmDialog
          title="Cancel the planned work?"
          description={`${cancelled.note}, ${printTime(cancelled.starts_at)}. Its minutes then count towards availability.`}
          verb="Cancel the work"
          act={() => withFreshFactor(() => account.cancelWork(cancelled.work_id))}
          onDone={() => {
            close();
            void client.invalidateQueries({ queryKey: SERVICE_LEVEL_KEY });
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<PlannedWork>[] = [
  { title: 'Begins', show: ({ starts_at }) => <Time at={starts_at} /> },
  { title: 'Minutes', kind: 'number', share: 0.6, show: ({ minutes }) => <Count value={minutes} /> },
  {
    title: 'What',
    share: 2,
    show: (work) => (
      <span className="cell-lines">
        <span>{work.note}</span>
        <span className="scope-list">{describeStanding(work)}</span>
      </span>
    ),
  },
];
