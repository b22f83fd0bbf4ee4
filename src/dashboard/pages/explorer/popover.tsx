import type { ReactNode } from 'react';

/** What opens below a word and covers what is there, so that nothing moves. */
export function Popover({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <details className="popover">
      <summary>{label}</summary>
      <div className="popover-body">{children}</div>
    </details>
  );
}
