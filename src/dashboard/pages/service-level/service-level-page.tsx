import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Page } from '../../parts/page.tsx';
import { useScopes } from '../../session/session.tsx';
import { AnnounceDialog } from './announce-dialog.tsx';
import { HistoryPanel } from './history-panel.tsx';
import { MonthPanel } from './month-panel.tsx';
import { GET_AVAILABILITY } from './operations.ts';
import { SERVICE_LEVEL_KEY } from './service-level-key.ts';
import { useAvailability } from './use-availability.ts';
import { WorkPanel } from './work-panel.tsx';
import './service-level-page.css';

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
