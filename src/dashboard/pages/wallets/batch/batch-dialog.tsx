import { useEffect } from 'react';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { BatchActions } from './batch-actions.tsx';
import { BatchForm } from './batch-form.tsx';
import { BatchState } from './batch-state.tsx';
import { isNothingMissing } from './describe-end.ts';
import { useBatch } from './use-batch.ts';

/** Creates many wallets whose keys go into a file of the member, and nowhere else. */
export function BatchDialog({ onClose }: { readonly onClose: () => void }) {
  const batch = useBatch();
  const { isRunning, isStopped, isOnDisk, begun, end, failure, progress } = batch;
  useStayingPut(isRunning);
  return (
    <Dialog
      title="Create a batch of client wallets"
      description="The secret keys go into your file. The server keeps none of them, and neither does this page."
      isSticky={isRunning}
      onClose={onClose}
    >
      {begun === undefined ? (
        <BatchForm error={failure} onStart={batch.start} onClose={onClose} />
      ) : (
        <>
          <BatchState
            progress={progress}
            end={end}
            isOnDisk={isOnDisk}
            {...(begun.arrivedBefore !== undefined && { arrivedBefore: begun.arrivedBefore })}
          />
          <ErrorNotice
            error={failure ?? (isStopped || isNothingMissing(end?.error) ? undefined : end?.error)}
            operation={['Create wallets', 'createWalletBatch', 'wallets']}
          />
          <BatchActions batch={batch} onClose={onClose} />
        </>
      )}
    </Dialog>
  );
}

/** Asks before the window is closed while wallets arrive: what was charged would be lost. */
function useStayingPut(isRunning: boolean): void {
  useEffect(() => {
    if (!isRunning) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isRunning]);
}
