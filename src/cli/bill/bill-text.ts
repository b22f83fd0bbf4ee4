import { describeDocument, describeProblem } from '../../../runtime/describe-bill-problem.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import { describePrices, type UsedPrices } from '../../../runtime/used-prices.ts';
import type { BillVerdict } from '../../../runtime/verify-bill.ts';

/** Returns the result of `keyslot bill verify` as `--json` prints it. */
export function showBill(verdict: BillVerdict) {
  const { invoice, records, heads, publicKeys, hasDigest, billed, credited, prices, problems } = verdict;
  return {
    ...{ invoice: invoice.number, month: invoice.month, is_sound: problems.length === 0, records, heads },
    is_document_verified: hasDigest && problems.every(({ kind }) => kind !== 'document'),
    ...{ public_keys: publicKeys, charged_usd: printUsd(billed.charged) },
    ...{ service_credit_usd: printUsd(billed.serviceCredit), total_usd: printUsd(billed.total) },
    credited_usd: printUsd(credited),
    prices: prices.map(showPrices),
    problems: problems.map((problem) => ({ ...problem, text: describeProblem(problem) })),
  };
}

function showPrices({ operation, standard, volume, volumeThreshold, fromSeq, units, ...rest }: UsedPrices) {
  return {
    ...{ operation, standard_usd: printUsd(standard), volume_usd: printUsd(volume) },
    ...{ volume_threshold: Number(volumeThreshold), units: Number(units), from_seq: fromSeq },
    ...{ is_stated: rest.isStated, is_listed: rest.isListed },
  };
}

/** Puts the result of `keyslot bill verify` into words. */
export function describeBill(verdict: BillVerdict, isTrusted: boolean): string {
  const { invoice, records, heads, publicKeys, billed, credited, problems } = verdict;
  const { number, month } = invoice;
  const used = verdict.prices.map((each) => `  ${describePrices(each)}\n`).join('');
  const prices = used === '' ? '' : `Prices of the charges:\n${used}`;
  if (problems.length > 0) {
    const found = problems.map((problem) => `  ${describeProblem(problem)}\n`).join('');
    return `${number} is NOT what its records come to:\n${found}${prices}`;
  }
  const keys = isTrusted
    ? ''
    : publicKeys
        .map(
          (key) => `The heads are signed with ${key}: compare it with the key that the operator published.\n`,
        )
        .join('');
  const credit =
    billed.serviceCredit === 0n ? '' : `, of which ${printUsd(billed.serviceCredit)} USD are given back`;
  const notes = credited === 0n ? '' : `Its credit notes give back ${printUsd(credited)} USD. `;
  return `${number} is what its records come to: ${printUsd(billed.charged)} USD were charged in ${month}${credit}. ${records} records are as they were written, and ${heads} signed heads agree with them. ${notes}${describeDocument(verdict)}\n${prices}${keys}`;
}
