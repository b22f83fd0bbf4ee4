import type { WalletBook } from '../clients/wallets/wallet-book.ts';
import { PLANS } from '../../../generated/plans.ts';
import type { Findings } from './findings.ts';
import type { Standing } from './settle-wallets.ts';

type Booked = Pick<
  WalletBook,
  'account' | 'created' | 'derived' | 'trees' | 'signed' | 'creditUsd' | 'unanswered'
>;

const MICRO = 1_000_000;

/**
 * Holds what an account was charged against what it was given: each operation once, at the price of the list, and the money adds up to the
 * micro-USD.
 */
export function judgeCharges(book: Booked, standing: Standing, findings: Findings): void {
  const { operations_this_month: operations, balance_usd: balance, charged_usd: charged } = standing;
  const delivered = {
    ...{ wallet_creation: book.created, managed_signing: book.signed },
    ...{ hd_child_derivation: book.derived, hd_master_creation: book.trees.size },
  };
  for (const [operation, units] of Object.entries(delivered)) {
    findings.check('lost_charge', units);
    const booked = operations[operation] ?? 0;
    if (booked < units || booked > units + book.unanswered.length)
      findings.break(
        'lost_charge',
        `${book.account}: ${units} of ${operation} delivered, and ${booked} charged`,
      );
  }
  findings.check('lost_charge', 2);
  const wanted = Object.entries(delivered).reduce((sum, [name, units]) => sum + units * priceOf(name), 0);
  if (microUsd(charged) !== wanted && book.unanswered.length === 0)
    findings.break(
      'lost_charge',
      `${book.account}: charges of ${charged} USD, where what was delivered costs ${wanted / MICRO} USD`,
    );
  if (microUsd(balance) + microUsd(charged) !== microUsd(String(book.creditUsd)))
    findings.break(
      'lost_charge',
      `${book.account}: a balance of ${balance} USD and charges of ${charged} USD are not the credit of ${book.creditUsd} USD`,
    );
}

/** The price of the list: no client of the lab comes to the threshold of the volume price. */
function priceOf(operation: string): number {
  return Object.entries(PLANS.wallet_prices).find(([name]) => name === operation)?.[1].standard ?? 0;
}

function microUsd(text: string): number {
  return Math.round(Number(text) * MICRO);
}
