import { useQueryClient, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { OperatedLimitRequest } from '../../../../../generated/account/types.ts';
import { account } from '../../../calls/account-client.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { ListPage } from '../../../parts/list-page.tsx';
import { Page } from '../../../parts/page.tsx';
import { ReferenceLink } from '../../../parts/reference-link.tsx';
import type { Column } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { useFreshCall } from '../../../session/fresh-factor.tsx';
import { useScopes } from '../../../session/session.tsx';
import { LIMIT_TEXTS } from '../../settings/limit-texts.ts';
import { OPEN_REQUESTS_KEY, OPERATOR_KEY } from '../keys.ts';
import { FormDialog } from '../../../parts/form-dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { readForm } from '../../../parts/read-form.ts';

type Shown = { readonly kind: 'grant' | 'refuse'; readonly request: OperatedLimitRequest };

const LIST_REQUESTS = ['Operators', 'listOpenLimitRequests'] as const;

/** Open requests of all accounts for higher limits, to grant or refuse. */
export function OpenRequestsPage() {
  const [shown, setShown] = useState<Shown>();
  const mayManage = useScopes('operator:manage');
  const withFreshFactor = useFreshCall();
  const client = useQueryClient();
  const close = () => setShown(undefined);
  const onDone = (): void => {
    close();
    void client.invalidateQueries({ queryKey: OPERATOR_KEY });
  };
  const columns: readonly Column<OperatedLimitRequest>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 1.3,
      show: (request) =>
        mayManage && (
          <>
            <Button
              type="button"
              aria-label={`Grant the request of ${request.account}`}
              onClick={() => setShown({ kind: 'grant', request })}
            >
              Grant
            </Button>
            <Button
              type="button"
              aria-label={`Refuse the request of ${request.account}`}
              onClick={() => setShown({ kind: 'refuse', request })}
            >
              Refuse
            </Button>
          </>
        ),
    },
  ];
  return (
    <Page
      title="Limit requests"
      lead="Requests of accounts for higher limits. A granted limit applies at once."
    >
      <section className="panel" aria-labelledby="requests">
        <div className="panel-head">
          <h2 id="requests">Open requests</h2>
          <ReferenceLink operation={LIST_REQUESTS} />
        </div>
        <ListPage
          caption="Open requests"
          queryKey={OPEN_REQUESTS_KEY}
          read={(query, signal) => account.listOpenLimitRequests(query, { signal })}
          rowsOf={({ limit_requests }) => limit_requests}
          columns={columns}
          keyOf={({ limit_request_id }) => limit_request_id}
          operation={LIST_REQUESTS}
          empty={{ title: 'No open requests', children: <p>All requests are answered.</p> }}
        />
      </section>
      {shown?.kind === 'grant' && (
        <ConfirmDialog
          title={`Grant ${shown.request.wanted} to ${shown.request.account}?`}
          description={`${LIMIT_TEXTS[shown.request.limit].title}: the limit of the account is set to it at once.`}
          verb="Grant the request"
          act={() => withFreshFactor(() => account.grantLimitRequest(shown.request.limit_request_id))}
          onDone={onDone}
          onClose={close}
        />
      )}
      {shown?.kind === 'refuse' && <RefuseDialog request={shown.request} onDone={onDone} onClose={close} />}
    </Page>
  );
}

const COLUMNS: readonly Column<OperatedLimitRequest>[] = [
  {
    title: 'Account',
    show: ({ account_id, account: name }) => (
      <span>
        <Link href={`/operator/accounts/${account_id}`}>{name}</Link>
      </span>
    ),
  },
  {
    title: 'Wanted',
    show: ({ limit, wanted }) => (
      <span className="cell-lines">
        <span>{wanted}</span>
        <span className="scope-list">{LIMIT_TEXTS[limit].title}</span>
      </span>
    ),
  },
  { title: 'Reason', share: 1.4, show: ({ reason }) => reason },
  { title: 'Asked', show: ({ created_at }) => <Time at={created_at} /> },
];

type RefuseDialogProps = {
  readonly request: OperatedLimitRequest;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

/** Refuses a request for a higher limit, with a reason. */
function RefuseDialog({ request, onDone, onClose }: RefuseDialogProps) {
  const withFreshFactor = useFreshCall();
  const refuse = useMutation({
    mutationFn: (reason: string) =>
      withFreshFactor(() => account.refuseLimitRequest(request.limit_request_id, { reason })),
    onSuccess: onDone,
  });
  return (
    <FormDialog
      title={`Refuse the request of ${request.account}`}
      action="Refuse the request"
      kind="danger"
      call={refuse}
      operation={['Operators', 'refuseLimitRequest']}
      onSubmit={(form) => refuse.mutate(readForm(form, 'reason').trim())}
      onClose={onClose}
    >
      <Field
        name="reason"
        label="Reason"
        hint="The account can read it. For example: ask again in May."
        maxLength={500}
        autoComplete="off"
        required
      />
    </FormDialog>
  );
}
