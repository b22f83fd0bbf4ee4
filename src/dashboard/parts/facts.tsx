import type { ReactNode } from 'react';
import './facts.css';

/** A fact about the subject of a page. */
export type Fact = {
  readonly name: string;
  readonly value: ReactNode;
  /** It has a row of its own. */
  readonly isWide?: boolean;
};

/** Facts next to each other, as space allows. Facts without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | undefined)[] }) {
  return (
    <dl className="facts-grid">
      {facts
        .filter((fact) => fact !== undefined)
        .map(({ name, value, isWide = false }) => (
          <div key={name} className={isWide ? 'fact-wide' : undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
