/** A sum on paper. */
export type PaperSum = {
  readonly title: string;
  readonly note?: string;
  /** The printed amount. */
  readonly amount: string;
  readonly isStrong?: boolean;
  readonly isLarge?: boolean;
};

/** Sums in rows: the title of each, and its amount at the right. */
export function PaperSums({ sums }: { readonly sums: readonly PaperSum[] }) {
  return (
    <dl className="paper-sums">
      {sums.map(({ title, note, amount, isStrong = false, isLarge = false }) => (
        <div key={title} className={isLarge ? 'paper-sum-large' : isStrong ? 'paper-sum-strong' : undefined}>
          <dt>
            {title}
            {note !== undefined && <small className="muted">{note}</small>}
          </dt>
          <dd className="number">{amount}</dd>
        </div>
      ))}
    </dl>
  );
}
