import type { Invoice } from '../../../../../generated/account/types.ts';
import { type BillItem, readBill } from '../../../../../runtime/bill.ts';
import { account } from '../../../calls/account-client.ts';
import { patiently } from '../../../calls/patiently.ts';

const RECORDS = 5_000;
const HEADS = 1_000;

/** Reads an invoice with all records that its charges and credit notes are in, and their signed heads, until the signal aborts. */
export function readBillItems(number: string, signal: AbortSignal): AsyncIterable<BillItem<Invoice>> {
  const reads = {
    readInvoice: (id: string) => patiently(() => account.readInvoice(id, { signal }), signal),
    readChain: (from_seq: number) =>
      patiently(() => account.listAuditChain({ from_seq, limit: RECORDS }, { signal }), signal),
    readHeads: (from_seq: number) =>
      patiently(() => account.listAuditHeads({ from_seq, limit: HEADS }, { signal }), signal),
  };
  return readBill(reads, number);
}
