import { Money } from '../../../parts/number.tsx';
import { Progress } from '../../../parts/progress.tsx';

type SpentBarProps = {
  readonly title: string;
  /** Micro-USD, as the limit is. */
  readonly spent: bigint;
  readonly limit: bigint;
  /** The name of the limit, shown after its amount. */
  readonly limitName: string;
};

/** Shows the spent part of a limit, as a bar and in figures. */
export function SpentBar({ title, spent, limit, limitName }: SpentBarProps) {
  return (
    <div className="spent-bar">
      <span>{title}</span>
      <Progress label={title} value={Number(spent)} limit={Math.max(Number(limit), 1)} />
      <span className="field-hint">
        <Money microUsd={spent} /> of <Money microUsd={limit} />, {limitName}
      </span>
    </div>
  );
}
