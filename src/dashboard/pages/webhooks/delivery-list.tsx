import { useState } from 'react';
import type { Delivery } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { ListPage } from '../../parts/list-page.tsx';
import type { Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { deliveriesOf } from './webhook-keys.ts';

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
