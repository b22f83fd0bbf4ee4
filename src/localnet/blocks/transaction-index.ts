import type { TransactionRecord } from '../model.ts';
import { accountKeys } from '../transaction/account-keys.ts';

const NONE: readonly TransactionRecord[] = [];

/** Finds transactions by signature, and by each of their addresses (static and loaded), oldest first. */
export class TransactionIndex {
  readonly #bySignature = new Map<string, TransactionRecord>();
  readonly #byAddress = new Map<string, TransactionRecord[]>();

  /** Number of transactions. */
  get size(): number {
    return this.#bySignature.size;
  }

  /** Number of addresses with transactions. */
  get addressCount(): number {
    return this.#byAddress.size;
  }

  find(signature: string): TransactionRecord | undefined {
    return this.#bySignature.get(signature);
  }

  ofAddress(address: string): readonly TransactionRecord[] {
    return this.#byAddress.get(address) ?? NONE;
  }

  add(record: TransactionRecord): void {
    this.#bySignature.set(signatureOf(record), record);
    for (const address of addressesOf(record)) {
      const records = this.#byAddress.get(address);
      if (records === undefined) this.#byAddress.set(address, [record]);
      else records.push(record);
    }
  }

  /** Removes a transaction that is among the oldest under its addresses. */
  drop(record: TransactionRecord): void {
    this.#bySignature.delete(signatureOf(record));
    for (const address of addressesOf(record)) {
      const left = this.#byAddress.get(address);
      const at = left?.indexOf(record) ?? -1;
      if (at >= 0) left?.splice(at, 1);
      if (left?.length === 0) this.#byAddress.delete(address);
    }
  }

  /** Removes a transaction that is among the newest under its addresses. */
  dropNewest(record: TransactionRecord): void {
    this.#bySignature.delete(signatureOf(record));
    for (const address of addressesOf(record)) {
      const left = this.#byAddress.get(address);
      const at = left?.lastIndexOf(record) ?? -1;
      if (at >= 0) left?.splice(at, 1);
      if (left?.length === 0) this.#byAddress.delete(address);
    }
  }

  clear(): void {
    this.#bySignature.clear();
    this.#byAddress.clear();
  }

  /** Removes the transactions of the oldest non-empty block: they are the first under each of their addresses. */
  dropOldest(records: readonly TransactionRecord[]): void {
    const dropped = new Map<string, number>();
    for (const record of records) {
      this.#bySignature.delete(signatureOf(record));
      for (const address of addressesOf(record)) dropped.set(address, (dropped.get(address) ?? 0) + 1);
    }
    for (const [address, count] of dropped) {
      const left = this.#byAddress.get(address);
      left?.splice(0, count);
      if (left?.length === 0) this.#byAddress.delete(address);
    }
  }
}

/** Returns the first signature of a transaction, which is its id. */
export function signatureOf({ transaction }: TransactionRecord): string {
  return transaction.signatures[0] ?? '';
}

function addressesOf({ transaction, meta }: TransactionRecord): ReadonlySet<string> {
  return new Set(accountKeys(transaction.message, meta.loadedAddresses));
}
