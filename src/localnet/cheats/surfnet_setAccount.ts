import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import { setAccount } from './localnet_setAccount.ts';
import { assertSize } from './read-bytes.ts';
import { surfnetContext } from './surfnet-answer.ts';

export const surfnetSetAccount: LedgerHandler<Ledger, 'surfnet_setAccount'> = async (
  ledger,
  address,
  changes,
) => {
  const data = changes.data ?? undefined;
  await setAccount(ledger, address, { ...changes, data: data === undefined ? undefined : readHex(data) });
  return surfnetContext(ledger);
};

function readHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(text))
    throw serviceError('invalidParam', {
      reason: 'data is not in hexadecimal digits, two for a byte, without a prefix',
    });
  return assertSize('data', Buffer.from(text, 'hex'));
}
