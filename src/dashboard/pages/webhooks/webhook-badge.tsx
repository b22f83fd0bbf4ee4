import type { Webhook } from '../../../../generated/account/types.ts';
import { Badge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';
import { standingOf } from './webhook-standing.ts';

/** How a webhook stands, and since when. */
export function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  const { tone, word, since } = standingOf(webhook);
  return (
    <span className="cell-lines">
      <span>
        <Badge tone={tone}>{word}</Badge>
      </span>
      {/* The line is there before it says something, so that nothing moves. */}
      <span className="muted">
        {since === undefined ? (
          '\u00a0'
        ) : (
          <>
            since <Time at={since} />
          </>
        )}
      </span>
    </span>
  );
}
