import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { PLANS } from '../../../generated/plans.ts';
import type { BillItem } from '../../../runtime/bill.ts';
import { fromHex } from '../../../runtime/hex.ts';
import { NoBill, verifyBill } from '../../../runtime/verify-bill.ts';
import { isSignatureOf } from '../../account/audit/audit-head.ts';
import { SPEC_PRICES } from '../../account/money/prices.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Terminal } from '../../base/terminal.ts';
import type { Invocation } from '../parse-command-line.ts';
import { describeBill, showBill } from './bill-text.ts';

const PUBLIC_KEY = /^[0-9a-f]{64}$/i;

/**
 * `keyslot bill verify`: recomputes an invoice from the signed records of its charges, in a file, in constant memory.
 *
 * @returns the exit code: 1 if the invoice is not what its records come to.
 * @throws ServiceError `invalidCommand` for a file that cannot be read or is no bill, and for a key that is none.
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
      throw mistake(`${path} is no bill: ${error.message}`);
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
    if (error instanceof Error && 'code' in error) throw mistake(`${path} cannot be read: ${error.message}`);
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
