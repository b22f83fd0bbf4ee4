import { errorEntry } from '../../generated/errors.ts';
import { toServiceError } from '../base/service-error.ts';
import { auditInOwnTransaction } from './audit.ts';
import { CLIENT_LEFT } from './client-left.ts';
import type { WalletContext } from './wallet-context.ts';
import { isWalletId } from './wallet-id.ts';

/** The refused action, by its name in the audit log, and the id in the path; empty if the path has none. */
export type Refused = { readonly action: string; readonly id: string };

/**
 * Writes the reason of a refusal to the audit log. Never rejects: the caller must see the refusal itself, whether or not the log can be
 * written.
 */
export async function recordRefusal(
  context: WalletContext,
  { action, id }: Refused,
  thrown: unknown,
): Promise<void> {
  const { problem } = errorEntry(toServiceError(thrown).code);
  const outcome = thrown === CLIENT_LEFT ? 'interrupted' : (problem?.code ?? 'internal_error');
  const { address } = context.caller;
  const fact = { action, outcome, address, ...(isWalletId(id) && { walletId: id }) };
  try {
    await auditInOwnTransaction(context, fact);
  } catch (error) {
    const { requestId } = context.caller;
    const { message: reason } = toServiceError(error);
    context.log.error({ reason, requestId }, 'a refusal could not be written into the audit log');
  }
}
