import type { ReactNode } from 'react';

/** What opens below a word and covers what is there, so that nothing moves. */
export function Popover({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <details
      className="popover"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.currentTarget.open = false;
        event.currentTarget.querySelector('summary')?.focus();
      }}
      onBlur={(event) => {
        if (event.relatedTarget !== null && !event.currentTarget.contains(event.relatedTarget))
          event.currentTarget.open = false;
      }}
    >
      <summary>{label}</summary>
      <div className="popover-body">{children}</div>
    </details>
  );
}
