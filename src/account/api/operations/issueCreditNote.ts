import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { parseUsd } from '../../../../runtime/micro-usd.ts';
import { issueCreditNote as issue } from '../../billing/invoices/issue-credit-note.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { ownFact } from '../record-change.ts';
import { showCreditNote } from '../../billing/invoices/show-credit-note.ts';

/** `POST /account/v1/operator/invoices/{id}/credit-notes`. A note that is already issued is neither issued nor recorded again. */
export const issueCreditNote: AccountHandler<AccountContext, 'issueCreditNote'> = async (
  context,
  { id: invoiceNumber, body },
) => {
  const { reason, reference } = body;
  const amount = parseUsd(body.amount_usd) ?? 0n;
  if (amount <= 0n) {
    const errors = [{ pointer: '/amount_usd', detail: 'must be more than 0' }];
    throw serviceError('bodyInvalid', { errors });
  }
  const { store, clock, caller } = context;
  const wanted = {
    invoiceNumber,
    amount,
    reason,
    reference,
    requestId: caller.requestId,
    also: (number: string) => ownFact(context, 'issuecreditnote', number),
    nowMs: clock.nowMs(),
  };
  const { note } = await store.transaction((tx) => issue(tx, wanted));
  return { kind: 'json', body: showCreditNote(note) };
};
