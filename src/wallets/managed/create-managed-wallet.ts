import type { Wallet } from '../../../generated/wallets/types.ts';
import type { JsonAnswer } from '../../../runtime/rest-operation.ts';
import { serviceError } from '../../core/service-error.ts';
import { assertSufficientBalance } from '../charging/assert-affordable.ts';
import type { CreateWalletBody } from '../create-requests.ts';
import { settle } from '../charging/settle.ts';
import type { WalletContext } from '../wallet-context.ts';
import { createWalletId } from '../wallet-id.ts';
import { makeKeys } from './make-keys.ts';
import { toManagedWallet } from './print-wallet.ts';
import { toRow } from '../wallet-row.ts';

const WORK = { operation: 'wallet_creation', units: 1 } as const;

/** Makes a wallet whose key the signer keeps; its row, its charge and its audit record are one transaction. */
export async function createManagedWallet(
  context: WalletContext,
  { label }: CreateWalletBody,
): Promise<JsonAnswer<Wallet>> {
  const quote = await assertSufficientBalance(context, WORK);
  const id = createWalletId();
  const made = await makeKeys(context, [id]);
  const [key] = made.keys;
  if (key === undefined) throw serviceError('keyBackendFailed');
  const row = toRow(
    context,
    key,
    { id, kind: 'single', label: label ?? null },
    new Date(context.clock.nowMs()),
  );
  const body = toManagedWallet(row);
  try {
    await settle(context, {
      quotes: [quote],
      rows: [row],
      facts: [{ action: 'create', outcome: 'ok', walletId: id }],
      answer: Buffer.from(JSON.stringify(body)),
      keep: made.keep,
    });
  } catch (error) {
    await made.drop();
    throw error;
  }
  return { kind: 'json', body };
}
