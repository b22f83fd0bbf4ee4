import type { TransactionVersion } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Message } from '../../wire/message.ts';

/** Highest message version that a client can read; absent for clients that know legacy transactions only. */
export type SupportedVersion = number | bigint | null | undefined;

/**
 * Returns the `version` member of an answer: none for clients that did not state a version. Throws `transactionVersionNotSupported` for a
 * message that the client cannot read.
 */
export function encodeVersion(
  { version }: Message,
  supported: SupportedVersion,
): { readonly version?: TransactionVersion } {
  if (version !== 'legacy' && version > (supported ?? -1)) {
    throw serviceError('transactionVersionNotSupported', { version });
  }
  return supported === null || supported === undefined ? {} : { version };
}
