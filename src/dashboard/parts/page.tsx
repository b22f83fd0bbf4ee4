import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

type PageProps = {
  readonly title: string;
  readonly lead?: string;
  /** Buttons next to the title. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
};

/** A page: its title, which is also the window title, and its content. */
export function Page({ title, lead, actions, children }: PageProps) {
  useTitle(title);
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {lead !== undefined && <p className="muted">{lead}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
