import { Time } from '../../parts/time.tsx';

/** When a key or a token was last used, and from where. */
export function LastUse({ of: { last_used_at, last_used_address } }: { readonly of: Used }) {
  if (last_used_at === undefined) return <span className="muted">never</span>;
  return (
    <span className="cell-lines">
      <Time at={last_used_at} />
      {last_used_address !== undefined && <span className="muted">from {last_used_address}</span>}
    </span>
  );
}

type Used = { readonly last_used_at?: string; readonly last_used_address?: string };
