import type { ReactNode } from 'react';
import { Brand } from '../parts/brand.tsx';
import { useTitle } from '../parts/use-title.ts';

/** Frame of the pages that need no session. */
export function EntryPage({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: string;
  readonly children?: ReactNode;
}) {
  useTitle(title);
  return (
    <main className="entry">
      <div className="entry-card">
        <Brand />
        <h1>{title}</h1>
        {lead !== undefined && <p className="muted">{lead}</p>}
        {children}
      </div>
    </main>
  );
}
