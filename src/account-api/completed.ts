import type { Completed } from '../../generated/account/types.ts';
import type { AccountContext } from './account-context.ts';

/** The answer of an operation that has nothing else to say. */
export function completed({ clock }: AccountContext): { readonly kind: 'json'; readonly body: Completed } {
  return { kind: 'json', body: { completed_at: new Date(clock.nowMs()).toISOString() } };
}
