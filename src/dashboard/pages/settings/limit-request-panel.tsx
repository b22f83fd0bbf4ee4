import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { LimitRequest } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import { ReferenceLink } from '../../parts/reference-link.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useScopes } from '../../session/session.tsx';
import { LIMIT_TEXTS } from './limit-texts.ts';
import { RequestLimitDialog } from './request-limit-dialog.tsx';

const REQUESTS_KEY = ['limit-requests'] as const;
const LIST_REQUESTS = ['Higher limits', 'listLimitRequests'] as const;
const TONES = { open: 'warn', withdrawn: 'off', granted: 'good', refused: 'bad' } as const;

/** What the account asked of the operator, and the answers. */
export function LimitRequestPanel() {
  const [shown, setShown] = useState<'ask' | LimitRequest>();
  const mayAsk = useScopes('limits:request');
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const onDone = (): void => {
    close();
    void client.invalidateQueries({ queryKey: REQUESTS_KEY });
  };
  const columns: readonly Column<LimitRequest>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 0.8,
      show: (request) =>
        mayAsk &&
        request.state === 'open' && (
          <Button
            type="button"
            aria-label={`Withdraw the request for ${request.wanted}`}
            onClick={() => setShown(request)}
          >
            Withdraw
          </Button>
        ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="limit-requests">
      <div className="panel-head">
        <h2 id="limit-requests">Requests for higher limits</h2>
        <div className="actions">
          <ReferenceLink operation={LIST_REQUESTS} />
          {mayAsk && (
            <Button type="button" kind="primary" onClick={() => setShown('ask')}>
              Ask for a higher limit
            </Button>
          )}
        </div>
      </div>
      <ListPage
        caption="Requests for higher limits"
        queryKey={REQUESTS_KEY}
        read={(query, signal) => account.listLimitRequests(query, { signal })}
        rowsOf={({ limit_requests }) => limit_requests}
        columns={columns}
        keyOf={({ limit_request_id }) => limit_request_id}
        operation={LIST_REQUESTS}
        empty={{
          title: 'No requests',
          children: <p>When a limit is too low, ask the operator of this server for a higher one.</p>,
        }}
      />
      {shown === 'ask' && <RequestLimitDialog onAsked={onDone} onClose={close} />}
      {typeof shown === 'object' && (
        <ConfirmDialog
          title="Withdraw the request?"
          description={`The operator no longer sees that you asked for ${LIMIT_TEXTS[shown.limit].title.toLowerCase()}: ${shown.wanted}.`}
          verb="Withdraw it"
          act={() => account.withdrawLimitRequest(shown.limit_request_id)}
          onDone={onDone}
          onClose={close}
        />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<LimitRequest>[] = [
  {
    title: 'Wanted',
    share: 1.1,
    show: ({ limit, wanted }) => (
      <span className="cell-lines">
        <span>{wanted}</span>
        <span className="scope-list">{LIMIT_TEXTS[limit].title}</span>
      </span>
    ),
  },
  {
    title: 'Reason',
    share: 1.6,
    show: ({ reason, answer }) => (
      <span className="cell-lines">
        <span>{reason}</span>
        {answer !== undefined && <span className="scope-list">Answer: {answer}</span>}
      </span>
    ),
  },
  {
    title: 'State',
    share: 0.7,
    show: ({ state }) => (
      <span>
        <Badge tone={TONES[state]}>{state}</Badge>
      </span>
    ),
  },
  { title: 'Asked', show: ({ created_at }) => <Time at={created_at} /> },
];
