import { formatCount, formatMicroUsd, formatSol, formatUsd } from './format-number.ts';

/** A count, in digits of the same width. */
export function Count({ value }: { readonly value: number | bigint }) {
  return <span className="number">{formatCount(value)}</span>;
}

/** An amount of money, from exact decimal text in USD. */
export function Usd({ amount }: { readonly amount: string }) {
  return <span className="number">{formatUsd(amount)}</span>;
}

/** An amount of money, from integer micro-USD. */
export function Money({ microUsd }: { readonly microUsd: number | bigint }) {
  return <span className="number">{formatMicroUsd(microUsd)}</span>;
}

/** An amount of lamports, in SOL; the tooltip has the lamports. */
export function Sol({ lamports }: { readonly lamports: bigint }) {
  return (
    <span className="number" title={`${formatCount(lamports)} lamports`}>
      {formatSol(lamports)} SOL
    </span>
  );
}
