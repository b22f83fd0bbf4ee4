import { Keypair, NONCE_ACCOUNT_LENGTH, NonceAccount, type PublicKey, SystemProgram } from '@solana/web3.js';
import { confirm } from '../confirmation.ts';
import { transferFrom } from './transfers.ts';
import { accountData, land, rentFor, send, signLegacy, type WalletSession } from './wallet-session.ts';

/** Creates a nonce account of the wallet, and a transfer that uses its nonce instead of a blockhash. */
export async function makeNonce(session: WalletSession, recipient: PublicKey) {
  const { target, wallet } = session;
  const nonce = Keypair.generate();
  const authority = wallet.publicKey;
  const create = SystemProgram.createAccount({
    fromPubkey: authority,
    newAccountPubkey: nonce.publicKey,
    lamports: await rentFor(target, NONCE_ACCOUNT_LENGTH),
    space: NONCE_ACCOUNT_LENGTH,
    programId: SystemProgram.programId,
  });
  const initialize = SystemProgram.nonceInitialize({
    noncePubkey: nonce.publicKey,
    authorizedPubkey: authority,
  });
  await land(session, [create, initialize], [nonce]);

  const nonceAccount = nonce.publicKey.toBase58();
  const stored = NonceAccount.fromAccountData(Buffer.from(await accountData(target, nonceAccount)));
  const advance = SystemProgram.nonceAdvance({ noncePubkey: nonce.publicKey, authorizedPubkey: authority });
  const transaction = signLegacy(session, stored.nonce, [
    advance,
    transferFrom(session, recipient, 3_000_000),
  ]);
  const nonceSignature = await send(session, transaction);
  await confirm(target, nonceSignature);
  return { nonceAccount, nonceSignature };
}
