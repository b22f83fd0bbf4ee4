import { useEffect } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNotice } from '../../../parts/error-notice.tsx';
import { BatchForm } from './batch-form.tsx';
import { BatchState } from './batch-state.tsx';
import { useBatch } from './use-batch.ts';

/** Creates many wallets whose keys go into a file of the member, and nowhere else. */
export function BatchDialog({ onClose }: { readonly onClose: () => void }) {
  const batch = useBatch();
  const { isRunning, end, progress } = batch;
  useStayingPut(isRunning);
  return (
    <Dialog
      title="Create a batch of client wallets"
      description="The secret keys go into your file. The server keeps none of them, and neither does this page."
      isSticky={isRunning}
      onClose={onClose}
    >
      {isRunning || end !== undefined ? (
        <>
          <BatchState progress={progress} end={end} isOnDisk={batch.isOnDisk} />
          <ErrorNotice
            error={batch.isStopped ? undefined : end?.error}
            operation={['Create wallets', 'createWalletBatch', 'wallets']}
          />
          <div className="actions">
            {isRunning ? (
              <Button type="button" onClick={batch.stop}>
                Stop
              </Button>
            ) : (
              <>
                <Button type="button" onClick={batch.reset}>
                  Another batch
                </Button>
                <Button type="button" kind="primary" onClick={onClose}>
                  Close
                </Button>
              </>
            )}
          </div>
        </>
      ) : (
        <BatchForm error={batch.failure} onStart={batch.start} onClose={onClose} />
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
