import { Keypair, NONCE_ACCOUNT_LENGTH, PublicKey, SystemProgram } from '@solana/web3.js';
import { newAccount } from './new-account.ts';
import { land, rentFor, type WalletSession } from './wallet-session.ts';

const EXTRA_LAMPORTS = 1000;

/** The system instructions for seeds, for nonce accounts and for an account with its own key. */
export async function tourSystem(session: WalletSession) {
  const { target, wallet } = session;
  const base = wallet.publicKey;
  const programId = SystemProgram.programId;
  const derived = await Promise.all(
    ['created', 'allocated', 'assigned'].map((seed) => PublicKey.createWithSeed(base, seed, programId)),
  );
  const [created, allocated, assigned] = derived;
  if (!(created && allocated && assigned)) throw new Error('three addresses were derived');
  const lamports = await rentFor(target, 0);
  const seedSignature = await land(session, [
    SystemProgram.createAccountWithSeed({
      fromPubkey: base,
      newAccountPubkey: created,
      basePubkey: base,
      seed: 'created',
      lamports: 2 * lamports,
      space: 0,
      programId,
    }),
    SystemProgram.transfer({
      fromPubkey: created,
      basePubkey: base,
      toPubkey: base,
      lamports: 1,
      seed: 'created',
      programId,
    }),
    SystemProgram.transfer({ fromPubkey: base, toPubkey: allocated, lamports: 2 * lamports }),
    SystemProgram.allocate({
      accountPubkey: allocated,
      basePubkey: base,
      seed: 'allocated',
      space: 8,
      programId,
    }),
    SystemProgram.transfer({ fromPubkey: base, toPubkey: assigned, lamports }),
    SystemProgram.assign({ accountPubkey: assigned, basePubkey: base, seed: 'assigned', programId }),
  ]);

  const nonce = await newAccount(session, NONCE_ACCOUNT_LENGTH, programId, EXTRA_LAMPORTS);
  const plain = Keypair.generate();
  const authority = { noncePubkey: nonce.key, authorizedPubkey: base };
  const nonceTourSignature = await land(
    session,
    [
      nonce.create,
      SystemProgram.nonceInitialize(authority),
      SystemProgram.nonceAuthorize({ ...authority, newAuthorizedPubkey: base }),
      SystemProgram.nonceWithdraw({ ...authority, toPubkey: base, lamports: EXTRA_LAMPORTS }),
      SystemProgram.transfer({ fromPubkey: base, toPubkey: plain.publicKey, lamports: 2 * lamports }),
      SystemProgram.allocate({ accountPubkey: plain.publicKey, space: 8 }),
      SystemProgram.assign({ accountPubkey: plain.publicKey, programId: base }),
    ],
    [nonce.keypair, plain],
  );
  return { seedSignature, nonceTourSignature };
}
