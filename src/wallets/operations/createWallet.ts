import type { WalletHandler } from '../../../generated/wallets/handlers.ts';
import { createClientWallet } from '../client/create-client-wallet.ts';
import { createManagedWallet } from '../managed/create-managed-wallet.ts';
import { withSealedKeys } from '../managed/with-sealed-keys.ts';
import type { WalletContext } from '../wallet-context.ts';

/** `POST /v1/wallets` (interface.md section 4.4). */
export const createWallet: WalletHandler<WalletContext, 'createWallet'> = (context, { body }) =>
  body.custody === 'managed'
    ? withSealedKeys(context, () => createManagedWallet(context, body))
    : createClientWallet(context, body);
