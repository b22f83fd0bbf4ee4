import type { ReactNode } from 'react';
import './facts.css';

/** Something known about what a page is about. */
export type Fact = {
  readonly name: string;
  readonly value: ReactNode;
  /** It has a row of its own. */
  readonly isWide?: boolean;
};

/** Facts beside each other, as many as there is room for. Those without a value are left out. */
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
