import {
  AddressLookupTableAccount,
  AddressLookupTableProgram,
  type PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { confirm } from '../confirmation.ts';
import { call } from '../json-rpc.ts';
import { transferFrom } from './transfers.ts';
import { latestBlockhash } from './latest-blockhash.ts';
import { accountData, land, send, type WalletSession } from './wallet-session.ts';

/** A v0 transfer that loads one writable and one read-only address from a lookup table. */
export async function makeLookup(
  session: WalletSession,
  recipient: PublicKey,
  bystander: PublicKey,
  lookupTable: PublicKey,
) {
  const { target, wallet } = session;
  const table = new AddressLookupTableAccount({
    key: lookupTable,
    state: AddressLookupTableAccount.deserialize(await accountData(target, lookupTable.toBase58())),
  });

  const transfer = transferFrom(session, recipient, 4_000_000);
  const keys = [...transfer.keys, { pubkey: bystander, isSigner: false, isWritable: false }];
  const instruction = new TransactionInstruction({ ...transfer, keys });
  const recentBlockhash = await latestBlockhash(target);
  const message = new TransactionMessage({
    payerKey: wallet.publicKey,
    recentBlockhash,
    instructions: [instruction],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message([table]));
  transaction.sign([wallet]);
  const v0Signature = await send(session, transaction);
  await confirm(target, v0Signature);
  return { lookupTable: lookupTable.toBase58(), v0Signature };
}

/** Creates a table with addresses; it can be used from the next slot on. */
export async function createTable(session: WalletSession, addresses: PublicKey[]) {
  const authority = session.wallet.publicKey;
  const recentSlot = Number(await call(session.target, 'getSlot', [{ commitment: 'confirmed' }]));
  const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
    authority,
    payer: authority,
    recentSlot,
  });
  const extend = AddressLookupTableProgram.extendLookupTable({
    lookupTable,
    authority,
    payer: authority,
    addresses,
  });
  const lookupTableSignature = await land(session, [create, extend]);
  return { lookupTable, lookupTableSignature };
}
