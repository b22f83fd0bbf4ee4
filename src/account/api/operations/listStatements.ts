import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import type { Statement as ShownStatement } from '../../../../generated/account/types.ts';
import { printUsd } from '../../../../runtime/micro-usd.ts';
import { readAccount } from '../../accounts/accounts.ts';
import { readStatements, type Statement } from '../../billing/invoices/read-statements.ts';
import type { OperationContext } from '../account-context.ts';

/** `GET /account/v1/statements`: a statement of each month. */
export const listStatements: AccountHandler<OperationContext, 'listStatements'> = async ({
  store,
  clock,
  caller: { accountId },
}) => {
  const { createdAt } = await readAccount(store, accountId);
  const statements = await readStatements(store, { accountId, createdAt, nowMs: clock.nowMs() });
  return { kind: 'json', body: { statements: statements.map(showStatement) } };
};

/** Returns a statement as the account service shows it. */
export function showStatement(statement: Statement): ShownStatement {
  const { month, opening, deposits, givenBack, charges, charged, closing, invoiceNumber } = statement;
  return {
    month,
    opening_usd: printUsd(opening),
    deposits_usd: printUsd(deposits),
    given_back_usd: printUsd(givenBack),
    charges: charges.map(({ operation, units, cost }) => ({
      operation,
      units: Number(units),
      cost_usd: printUsd(cost),
    })),
    charged_usd: printUsd(charged),
    closing_usd: printUsd(closing),
    ...(invoiceNumber !== undefined && { invoice_number: invoiceNumber }),
  };
}
