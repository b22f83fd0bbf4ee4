import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { PLANS } from '../../../generated/plans.ts';
import type { BillItem } from '../../../runtime/bill.ts';
import { fromHex } from '../../../runtime/hex.ts';
import { NoBill, verifyBill, type BillVerdict } from '../../../runtime/verify-bill.ts';
import { isSignatureOf } from '../../account/audit/audit-head.ts';
import { SPEC_PRICES } from '../../account/billing/books/prices.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Terminal } from '../../core/terminal.ts';
import type { Invocation } from '../parse-command-line.ts';
import { describeDocument, describeProblem } from '../../../runtime/describe-bill-problem.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import { describePrices, type UsedPrices } from '../../../runtime/used-prices.ts';

const PUBLIC_KEY = /^[0-9a-f]{64}$/i;

/**
 * `keyslot bill verify`: recomputes an invoice from the signed records of its charges, in a file, in constant memory.
 *
 * @returns the exit code: 1 if the invoice does not match its records.
 * @throws ServiceError `invalidCommand` for a file that cannot be read or is not a bill, and for an invalid key.
 */
export async function verifyBillFile(
  { words: [path = ''], options, lists }: Pick<Invocation, 'words' | 'options' | 'lists'>,
  { writeOut }: Terminal,
): Promise<number> {
  const trustedKeys = (lists['public-key'] ?? []).map(readKey);
  const deps = {
    digest: async (bytes: Uint8Array) => hash('sha256', bytes, 'buffer').buffer.slice(0),
    isSignature: async (
      head: { readonly public_key: string; readonly signature: string },
      bytes: Uint8Array,
    ) => isSignatureOf({ publicKey: fromHex(head.public_key), signature: fromHex(head.signature) }, bytes),
    prices: { book: SPEC_PRICES, credits: PLANS.service_credits.rows },
    trustedKeys,
  };
  const verdict = await verifyBill(deps, readItems(path)).catch((error: unknown) => {
    if (error instanceof NoBill || error instanceof SyntaxError)
      throw mistake(`${path} is not a bill: ${error.message}`);
    throw error;
  });
  writeOut(
    options.json === true
      ? `${JSON.stringify(showBill(verdict))}\n`
      : describeBill(verdict, trustedKeys.length > 0),
  );
  return verdict.problems.length === 0 ? 0 : 1;
}

async function* readItems(path: string): AsyncGenerator<BillItem> {
  const stream = createReadStream(path, 'utf8');
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) yield JSON.parse(line) as BillItem;
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw mistake(`cannot read ${path}: ${error.message}`);
    throw error;
  } finally {
    stream.destroy();
  }
}

function readKey(text: string): string {
  if (PUBLIC_KEY.test(text)) return text.toLowerCase();
  throw mistake(`--public-key must be 64 hexadecimal digits, got ${JSON.stringify(text)}`);
}

function mistake(reason: string) {
  return serviceError('invalidCommand', { reason });
}

/** Returns the result of `keyslot bill verify` as `--json` prints it. */
export function showBill(verdict: BillVerdict) {
  const { invoice, records, heads, publicKeys, hasDigest, billed, credited, prices, problems } = verdict;
  return {
    invoice: invoice.number,
    month: invoice.month,
    is_sound: problems.length === 0,
    records,
    heads,
    is_document_verified: hasDigest && problems.every(({ kind }) => kind !== 'document'),
    public_keys: publicKeys,
    charged_usd: printUsd(billed.charged),
    service_credit_usd: printUsd(billed.serviceCredit),
    total_usd: printUsd(billed.total),
    credited_usd: printUsd(credited),
    prices: prices.map(showPrices),
    problems: problems.map((problem) => ({ ...problem, text: describeProblem(problem) })),
  };
}

function showPrices({ operation, standard, volume, volumeThreshold, fromSeq, units, ...rest }: UsedPrices) {
  return {
    operation,
    standard_usd: printUsd(standard),
    volume_usd: printUsd(volume),
    volume_threshold: Number(volumeThreshold),
    units: Number(units),
    from_seq: fromSeq,
    is_stated: rest.isStated,
    is_listed: rest.isListed,
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
    return `${number} does NOT match its records:\n${found}${prices}`;
  }
  const keys = isTrusted
    ? ''
    : publicKeys
        .map(
          (key) => `The heads are signed with ${key}: compare it with the key that the operator published.\n`,
        )
        .join('');
  const credit =
    billed.serviceCredit === 0n ? '' : `, of which ${printUsd(billed.serviceCredit)} USD are refunded`;
  const notes = credited === 0n ? '' : `Its credit notes refund ${printUsd(credited)} USD. `;
  return `${number} matches its records: ${printUsd(billed.charged)} USD were charged in ${month}${credit}. ${records} records are unchanged, and ${heads} signed heads agree with them. ${notes}${describeDocument(verdict)}\n${prices}${keys}`;
}
