import type { AccessToken, ApiKey } from '../../../../generated/account/types.ts';
import { Badge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';

const TONES = { active: 'good', rotated: 'warn', expired: 'off', revoked: 'bad' } as const;

/** The state of a key or token, and since or until when. */
export function StateBadge({ of }: { readonly of: ApiKey | AccessToken }) {
  const at = of.revoked_at ?? of.expires_at;
  const isOver = of.state === 'revoked' || of.state === 'expired';
  return (
    <span className="cell-lines">
      <span>
        <Badge tone={TONES[of.state]}>{of.state}</Badge>
      </span>
      {at !== undefined && (
        <span className="scope-list">
          {isOver ? 'since' : 'until'} <Time at={at} />
        </span>
      )}
    </span>
  );
}
