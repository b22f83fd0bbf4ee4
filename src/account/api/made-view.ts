import type { RemovedMember } from '../../../generated/account/types.ts';
import type { MadeByMember } from '../identity/members/members.ts';

/** Returns the keys, tokens and webhooks that a member created, as the account service shows them. */
export function toMadeView({ keys, tokens, webhooks }: MadeByMember): Omit<RemovedMember, 'completed_at'> {
  return {
    keys: keys.map(({ id: key_id, name }) => ({ key_id, name })),
    tokens: tokens.map(({ id: token_id, name }) => ({ token_id, name })),
    webhooks: webhooks.map(({ id: webhook_id, name, url }) => ({ webhook_id, name, url })),
  };
}
