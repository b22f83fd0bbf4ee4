import type { Completed } from '../../../generated/account/types.ts';
import type { AccountContext } from './account-context.ts';

/** The answer of an operation without other content. */
export function completed({ clock }: AccountContext): { readonly kind: 'json'; readonly body: Completed } {
  return { kind: 'json', body: { completed_at: new Date(clock.nowMs()).toISOString() } };
}
