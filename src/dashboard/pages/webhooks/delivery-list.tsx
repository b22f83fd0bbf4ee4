import { useState } from 'react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Delivery, DeliveryAttempt } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { deliveriesOf } from './webhook-keys.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { useScopes } from '../../session/session.tsx';

const STATES = [
  { value: '', text: 'All' },
  { value: 'queued', text: 'Queued' },
  { value: 'waiting', text: 'Waiting' },
  { value: 'delivered', text: 'Delivered' },
  { value: 'failed', text: 'Failed' },
] as const;

const TONES = { queued: 'off', waiting: 'warn', delivered: 'good', failed: 'bad' } as const;

/** The deliveries of a webhook in the last 30 days, and each with its attempts. */
export function DeliveryList({ webhookId }: { readonly webhookId: string }) {
  const [state, setState] = useState<(typeof STATES)[number]['value']>('');
  const [shown, setShown] = useState<string>();
  const columns: readonly Column<Delivery>[] = [
    ...COLUMNS,
    {
      title: 'Actions',
      kind: 'actions',
      share: 0.7,
      show: ({ delivery_id, type }) => (
        <Button type="button" aria-label={`Attempts of ${type}`} onClick={() => setShown(delivery_id)}>
          Attempts
        </Button>
      ),
    },
  ];
  return (
    <section className="panel" aria-labelledby="deliveries">
      <div className="panel-head">
        <h2 id="deliveries">Deliveries</h2>
        <Select
          label="State"
          value={state}
          options={STATES}
          onChange={(event) => {
            const chosen = STATES.find(({ value }) => value === event.currentTarget.value);
            setState(chosen?.value ?? '');
          }}
        />
      </div>
      <ListPage
        caption="Deliveries"
        queryKey={[...deliveriesOf(webhookId), state]}
        read={(query, signal) =>
          account.listDeliveries(webhookId, { ...query, ...(state !== '' && { state }) }, { signal })
        }
        rowsOf={({ deliveries }) => deliveries}
        columns={columns}
        keyOf={({ delivery_id }) => delivery_id}
        operation={['Webhooks', 'listDeliveries']}
        empty={{
          title: state === '' ? 'Nothing was sent yet' : `No ${state} deliveries`,
          children: <p>Deliveries are kept for 30 days.</p>,
        }}
      />
      {shown !== undefined && (
        <DeliveryDialog webhookId={webhookId} deliveryId={shown} onClose={() => setShown(undefined)} />
      )}
    </section>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    title: 'Event',
    share: 1.4,
    show: ({ type, seq, slot }) => (
      <span className="cell-lines">
        <code>{type}</code>
        {seq !== undefined && <span className="muted">record {seq}</span>}
        {slot !== undefined && <span className="muted">slot {slot}</span>}
      </span>
    ),
  },
  {
    title: 'State',
    show: ({ state, attempts }) => (
      <span className="cell-lines">
        <span>
          <Badge tone={TONES[state]}>{state}</Badge>
        </span>
        <span className="muted">{attempts === 1 ? '1 attempt' : `${attempts} attempts`}</span>
      </span>
    ),
  },
  { title: 'First sent', show: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Next', show: ({ next_at }) => (next_at === undefined ? '–' : <Time at={next_at} />) },
];

type DeliveryDialogProps = {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly onClose: () => void;
};

/** A delivery: its body, its attempts with their answers, and a button to send it again. */
function DeliveryDialog({ webhookId, deliveryId, onClose }: DeliveryDialogProps) {
  const mayManage = useScopes('webhooks:manage');
  const client = useQueryClient();
  const queryKey = [...deliveriesOf(webhookId), 'one', deliveryId];
  const read = useQuery({
    queryKey,
    queryFn: ({ signal }) => account.readDelivery(deliveryId, { signal }),
  });
  const retry = useMutation({
    mutationFn: () => account.retryDelivery(deliveryId),
    onSuccess: () => client.invalidateQueries({ queryKey: deliveriesOf(webhookId) }),
  });
  const { delivery, body, attempts = [] } = read.data ?? {};
  return (
    <Dialog title={delivery?.type ?? 'Delivery'} onClose={onClose}>
      <ErrorNotice error={read.error} operation={['Webhooks', 'readDelivery']} />
      <h3>Attempts</h3>
      <ol className="delivery-attempts" reversed aria-busy={read.isFetching}>
        {attempts.map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </ol>
      {delivery?.next_at !== undefined && (
        <p>
          The next attempt is at <Time at={delivery.next_at} />.
        </p>
      )}
      {body !== undefined && (
        <>
          <h3>Body</h3>
          <Snippet code={body} label="Copy the body" />
        </>
      )}
      <ErrorNotice error={retry.error} operation={['Webhooks', 'retryDelivery']} />
      <div className="actions">
        <Button type="button" onClick={() => void read.refetch()}>
          Read again
        </Button>
        {mayManage && (
          <Button type="button" kind="primary" isBusy={retry.isPending} onClick={() => retry.mutate()}>
            Send it again
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function Attempt({ attempt }: { readonly attempt: DeliveryAttempt }) {
  const { at, status, answer, error, duration_ms } = attempt;
  const isTaken = status !== undefined && status >= 200 && status < 300;
  return (
    <li>
      <span>
        <Badge tone={isTaken ? 'good' : 'bad'}>{status === undefined ? 'no answer' : `HTTP ${status}`}</Badge>{' '}
        <Time at={at} />, <span className="number">{duration_ms} ms</span>
      </span>
      {error !== undefined && <span>{error}</span>}
      {answer !== undefined && answer !== '' && <code className="webhook-url">{answer}</code>}
    </li>
  );
}
