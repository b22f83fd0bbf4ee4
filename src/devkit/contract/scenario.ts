import { Keypair, SystemProgram } from '@solana/web3.js';
import './scenario/quiet-bigint-buffer.ts';
import { confirmAll } from './confirmation.ts';
import { eventually } from '../../core/eventually.ts';
import { call, type RpcTarget } from './json-rpc.ts';
import { makeNonce } from './scenario/durable-nonce.ts';
import { makeExtensions } from './scenario/extension-mint.ts';
import { makeFailures } from './scenario/failures.ts';
import { freshValues } from './scenario/fresh-values.ts';
import { createTable, makeLookup } from './scenario/lookup-table.ts';
import { makeProgramAccounts, makeUnexecuted } from './scenario/unexecuted.ts';
import { tourSystem } from './scenario/system-tour.ts';
import { tourTokens } from './scenario/token-tour.ts';
import { makeToken2022, makeTokens } from './scenario/tokens.ts';
import { makeDataAccount, makeMemo, makeTransfers } from './scenario/transfers.ts';
import { makeVersion1 } from './scenario/make-version-1.ts';
import { openWallet } from './scenario/wallet-session.ts';

/** The events on the ledger before the cases run: the values of `$name` in their params. */
export type Scenario = {
  /** @throws Error for a name that the scenario does not have. */
  readonly value: (name: string) => Promise<unknown>;
};

/**
 * Acts out the scenario on any target through public methods and waits until all of it is finalized: an airdrop, transfers (one fails),
 * a memo with a priority fee, SPL and Token-2022 tokens, a durable nonce, a lookup table, raw data, and tours of the other instructions
 * of the token and system programs.
 */
export async function actScenario(target: RpcTarget): Promise<Scenario> {
  const session = await openWallet(target);
  const recipient = Keypair.generate().publicKey;
  const bystander = Keypair.generate().publicKey;
  const { lookupTable, lookupTableSignature } = await createTable(session, [recipient, bystander]);
  const parts = await Promise.all([
    makeTransfers(session, recipient),
    makeMemo(session),
    makeTokens(session),
    makeToken2022(session),
    makeNonce(session, recipient),
    makeDataAccount(session),
    tourTokens(session),
    tourSystem(session),
    makeExtensions(session),
    makeFailures(session),
    makeUnexecuted(session),
    makeProgramAccounts(session),
    readNode(target),
  ]);
  // On its own, so that no other slot of the scenario has a version 0 transaction.
  const v0 = await makeLookup(session, recipient, bystander, lookupTable);
  // The same of version 1.
  const version1 = await makeVersion1(session, recipient);
  const own = {
    lookupTableSignature,
    airdropSignature: session.airdropSignature,
    wallet: session.wallet.publicKey.toBase58(),
    recipient: recipient.toBase58(),
    systemProgram: SystemProgram.programId.toBase58(),
  };
  const made: Readonly<Record<string, string>> = Object.fromEntries(
    [...parts, v0, version1, own].flatMap((part) => Object.entries<string>(part)),
  );
  const slots = await finalizedSlots(target, made);
  const fixed: Readonly<Record<string, unknown>> = { ...made, ...slots };
  const fresh = freshValues(session, recipient.toBase58());
  return {
    value: async (name) => {
      const value = fixed[name] ?? (await fresh[name]?.());
      if (value === undefined) throw new Error(`the scenario has no $${name}`);
      return value;
    },
  };
}

async function readNode(target: RpcTarget) {
  const { identity } = (await call(target, 'getIdentity')) as { identity: string };
  const { current } = (await call(target, 'getVoteAccounts')) as {
    current: readonly { votePubkey: string }[];
  };
  const voteAccount = current[0]?.votePubkey;
  if (voteAccount === undefined) throw new Error('getVoteAccounts lists no current vote account');
  return { identity, voteAccount };
}

/** Waits until every transaction of the scenario is finalized. @returns the slots that cases name. */
async function finalizedSlots(target: RpcTarget, made: Readonly<Record<string, string>>) {
  const names = Object.keys(made).filter((name) => name.endsWith('Signature'));
  const landed = await confirmAll(
    target,
    names.map((name) => made[name] ?? ''),
    'finalized',
  );
  const slotOf = (name: string): number | undefined => landed[names.indexOf(`${name}Signature`)]?.slot;
  return {
    transferSlot: slotOf('transfer'),
    legacySlot: slotOf('transfer'),
    failedSlot: slotOf('failed'),
    memoSlot: slotOf('memo'),
    v0Slot: slotOf('v0'),
    version1Slot: slotOf('version1'),
    tokenSlot: slotOf('token'),
    emptySlot: await findEmptySlot(target),
  };
}

/**
 * Finds a finalized slot whose block has no transactions: any new block of an idle ledger, but only the genesis block if its validators
 * vote by transactions.
 */
async function findEmptySlot(target: RpcTarget): Promise<number> {
  return await eventually('a finalized block without transactions', async () => {
    const candidates = [
      await call(target, 'getSlot', [{ commitment: 'finalized' }]),
      await call(target, 'getFirstAvailableBlock'),
    ];
    for (const slot of candidates.map(Number)) if (await isEmpty(target, slot)) return slot;
    return undefined;
  });
}

async function isEmpty(target: RpcTarget, slot: number): Promise<boolean> {
  const config = { transactionDetails: 'signatures', maxSupportedTransactionVersion: 1 };
  const block = (await call(target, 'getBlock', [slot, config])) as {
    readonly signatures: readonly string[];
  };
  return block.signatures.length === 0;
}
