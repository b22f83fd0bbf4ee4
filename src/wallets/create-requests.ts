import type { WalletRequest } from '../../generated/wallets/handlers.ts';
import type { AnswerForm } from '../../runtime/rest-operation.ts';
import { type ServiceError, serviceError } from '../core/service-error.ts';

/** The body of the operation. */
export type CreateWalletBody = WalletRequest<'createWallet'>['body'];

/** A batch of one custody, in one form. */
export type BatchRequest = WalletRequest<'createWalletBatch'>['body'] & { readonly format: 'jsonl' | 'csv' };

/** A tree of one custody, in one form, of a bounded number of children. */
export type TreeRequest = WalletRequest<'createHdWallets'>['body'] & {
  readonly form: AnswerForm;
  readonly children: number;
};

/** Returns the refusal of a body member that the schema does not check itself. `pointer`: RFC 6901. */
export function bodyInvalid(pointer: string, detail: string): ServiceError {
  return serviceError('bodyInvalid', { errors: [{ pointer, detail }] });
}
