import { isBase58 } from '../../../../../runtime/base58.ts';

/** A valid transfer. */
export type CheckedTransfer = { readonly to: string; readonly lamports: bigint };

/** The faults of a transfer, by field. */
export type TransferFaults = { readonly to?: string; readonly amount?: string };

const ADDRESS_BYTES = 32;

/** Checks the fields of a transfer from an address. */
export function checkTransfer(
  from: string,
  { to, amount }: { readonly to: string; readonly amount: string },
): CheckedTransfer | TransferFaults {
  const lamports = parseSol(amount);
  const faults = {
    ...(!isBase58(to, ADDRESS_BYTES) && { to: 'This is not an address: expected 32 bytes in base-58.' }),
    ...(to === from && { to: 'This is the address of the wallet itself.' }),
    ...(lamports === undefined && {
      amount: 'Enter an amount above 0 with at most nine decimals, such as 0.25.',
    }),
  };
  if (lamports === undefined || Object.keys(faults).length > 0) return faults;
  return { to, lamports };
}

const DECIMAL = /^(\d{1,11})(?:\.(\d{1,9}))?$/;
const LAMPORT_DIGITS = 9;
const MAX_U64 = 2n ** 64n - 1n;

/** Returns the lamports of an amount in SOL, exactly; undefined if it is not a positive decimal with at most nine places. */
export function parseSol(text: string): bigint | undefined {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  const lamports = BigInt(whole + fraction.padEnd(LAMPORT_DIGITS, '0'));
  return lamports > 0n && lamports <= MAX_U64 ? lamports : undefined;
}
