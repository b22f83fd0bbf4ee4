import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeliveryAttempt } from '../../../../generated/account/types.ts';
import { account } from '../../calls/account-client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Snippet } from '../../parts/snippet.tsx';
import { Time } from '../../parts/time.tsx';
import { useScopes } from '../../session/session.tsx';
import { deliveriesOf } from './webhook-keys.ts';

type DeliveryDialogProps = {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly onClose: () => void;
};

/** What was sent, what each attempt was answered, and a button that tries it again. */
export function DeliveryDialog({ webhookId, deliveryId, onClose }: DeliveryDialogProps) {
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
