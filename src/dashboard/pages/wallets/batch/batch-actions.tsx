import { Button } from '../../../parts/button.tsx';
import { mayHaveRest } from './describe-end.ts';
import type { useBatch } from './use-batch.ts';

type BatchActionsProps = {
  readonly batch: ReturnType<typeof useBatch>;
  readonly onClose: () => void;
};

/** What can be done with a batch that was begun. */
export function BatchActions({ batch, onClose }: BatchActionsProps) {
  const { isRunning, begun, end } = batch;
  if (isRunning)
    return (
      <div className="actions">
        <Button type="button" onClick={batch.stop}>
          Stop
        </Button>
      </div>
    );
  const hasRest = begun !== undefined && end !== undefined && mayHaveRest(end, begun.arrivedBefore);
  return (
    <div className="actions">
      <Button type="button" onClick={batch.reset}>
        Another batch
      </Button>
      {hasRest && (
        <Button type="button" onClick={() => void batch.getRest(begun, end)}>
          Get missing wallets
        </Button>
      )}
      <Button type="button" kind="primary" onClick={onClose}>
        Close
      </Button>
    </div>
  );
}
