import { PLANS } from '../../../../../generated/plans.ts';
import type { Statement } from '../../../../../generated/account/types.ts';
import { printCsv } from '../../../parts/csv.ts';
import { account } from '../../../calls/account-client.ts';
import { STATEMENTS_KEY } from '../keys.ts';

const ROWS = Object.keys(PLANS.wallet_prices);
const HEAD = [
  ...[
    'month',
    'opening_usd',
    'deposits_usd',
    'given_back_usd',
    'charged_usd',
    'closing_usd',
    'invoice_number',
  ],
  ...ROWS.flatMap((row) => [`${row}_units`, `${row}_usd`]),
];

/** Prints statements as CSV: a row for each month, with units and cost of each row of the price list. */
export function printStatements(statements: readonly Statement[]): string {
  return printCsv([HEAD, ...statements.map(cellsOf)]);
}

function cellsOf(statement: Statement) {
  const { month, opening_usd, deposits_usd, given_back_usd, charged_usd, closing_usd, charges } = statement;
  return [
    ...[month, opening_usd, deposits_usd, given_back_usd, charged_usd, closing_usd, statement.invoice_number],
    ...ROWS.flatMap((row) => {
      const charge = charges.find(({ operation }) => operation === row);
      return [charge?.units ?? 0, charge?.cost_usd ?? '0.00'];
    }),
  ];
}

/** The operation that lists statements, by its tag and name in the reference. */
export const LIST_STATEMENTS = ['Billing', 'listStatements'] as const;

/** The query of all statements, newest first. */
export const statementsQuery = {
  queryKey: STATEMENTS_KEY,
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    (await account.listStatements({ signal })).statements,
};
