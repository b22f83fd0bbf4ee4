import { formatCount } from '../../../parts/format-number.ts';
import { Progress } from '../../../parts/progress.tsx';
import { describeEnd } from './describe-end.ts';
import type { BatchEnd, BatchProgress } from './run-batch.ts';

type BatchStateProps = {
  readonly progress: BatchProgress;
  readonly end: BatchEnd | undefined;
  readonly isOnDisk: boolean;
  /** How many are in an earlier file of the same batch. */
  readonly arrivedBefore?: number;
};

/** How far a batch has come, or how it ended. */
export function BatchState({ progress, end, isOnDisk, arrivedBefore }: BatchStateProps) {
  const { written, announced } = progress;
  const limit = announced ?? 1;
  return (
    <div className="stack">
      {(end === undefined || announced !== undefined) && (
        <>
          <div className="progress-line">
            <span>{isOnDisk ? 'Written to the file' : 'Received; the file is saved at the end'}</span>
            <span className="number">
              {formatCount(written)} of {announced === undefined ? '…' : formatCount(announced)}
            </span>
          </div>
          <Progress label="Wallets in the file" value={written} limit={limit} />
        </>
      )}
      {end !== undefined && <p role="status">{describeEnd(end, arrivedBefore)}</p>}
      {end !== undefined && !isOnDisk && end.written > 0 && (
        <p className="muted">The browser has saved the file as a download.</p>
      )}
    </div>
  );
}
