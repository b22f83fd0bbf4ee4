import type { ReactNode } from 'react';

/** A state in a word. The colour only repeats the word. */
export function Badge({
  tone,
  children,
}: {
  readonly tone: 'good' | 'warn' | 'off' | 'bad';
  readonly children: ReactNode;
}) {
  return <span className={`badge badge-${tone}`}>{children}</span>;
}
