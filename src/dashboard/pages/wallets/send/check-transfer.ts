import { isBase58 } from '../../../../../runtime/base58.ts';
import { parseSol } from './parse-sol.ts';

/** A transfer that can be tried. */
export type CheckedTransfer = { readonly to: string; readonly lamports: bigint };

/** What is wrong with the fields of a transfer, by field. */
export type TransferFaults = { readonly to?: string; readonly amount?: string };

const ADDRESS_BYTES = 32;

/** Checks the fields of a transfer from an address. */
export function checkTransfer(
  from: string,
  { to, amount }: { readonly to: string; readonly amount: string },
): CheckedTransfer | TransferFaults {
  const lamports = parseSol(amount);
  const faults = {
    ...(!isBase58(to, ADDRESS_BYTES) && { to: 'This is no address: base-58 of 32 bytes.' }),
    ...(to === from && { to: 'This is the wallet itself.' }),
    ...(lamports === undefined && { amount: 'An amount above 0 with at most nine decimals, such as 0.25.' }),
  };
  if (lamports === undefined || Object.keys(faults).length > 0) return faults;
  return { to, lamports };
}
