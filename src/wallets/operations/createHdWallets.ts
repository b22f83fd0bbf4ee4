import { PLANS } from '../../../generated/plans.ts';
import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import type { AnswerForm } from '../../../runtime/rest-operation.ts';
import { serviceError } from '../../core/service-error.ts';
import { createClientHd } from '../client/create-client-hd.ts';
import { createManagedHd } from '../managed/create-managed-hd.ts';
import type { WalletContext } from '../wallet-context.ts';

const { json_children: MAX_IN_JSON } = PLANS.wallet_hd;

/** `POST /v1/wallets/hd` (interface.md section 4.4). */
export const createHdWallets: WalletHandler<WalletContext, 'createHdWallets'> = async (
  context,
  { body, form },
) => {
  const children = body.accounts.count * body.change.count;
  assertChildren(context, form, children);
  const wanted = { ...body, form, children };
  const isManaged = body.custody === 'managed' || body.master_wallet_id !== undefined;
  return isManaged ? createManagedHd(context, wanted) : createClientHd(context, wanted);
};

/** @throws ServiceError `hdTooManyChildren`, `streamRequired`. */
function assertChildren({ maxHdChildren }: WalletContext, form: AnswerForm, value: number): void {
  if (value > maxHdChildren) throw serviceError('hdTooManyChildren', { limit: maxHdChildren, value });
  if (form === 'json' && value > MAX_IN_JSON) {
    throw serviceError('streamRequired', { limit: MAX_IN_JSON, value });
  }
}
