import { AnchorProvider, BN, Program, Wallet } from '@coral-xyz/anchor';
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  type PublicKey,
  SendTransactionError,
  SystemProgram,
} from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { TARGETS } from '../targets.ts';
import { TOKEN_IDL } from './token-idl.ts';

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;

describe.each(TARGETS)('at %s', (_, { rpcUrl, wsUrl }) => {
  const connection = new Connection(rpcUrl, { commitment: 'confirmed', wsEndpoint: wsUrl });
  const wallet = new Wallet(Keypair.generate());
  const provider = new AnchorProvider(connection, wallet, { commitment: 'confirmed' });
  const program = new Program<typeof TOKEN_IDL>(TOKEN_IDL, provider);
  const owner = wallet.publicKey;

  const space = async (address: PublicKey, bytes: number) =>
    SystemProgram.createAccount({
      fromPubkey: owner,
      newAccountPubkey: address,
      space: bytes,
      programId: program.programId,
      lamports: await connection.getMinimumBalanceForRentExemption(bytes),
    });

  test('Anchor sends instructions, reads and watches accounts by an IDL, and gets the logs of a failure', async () => {
    const signature = await connection.requestAirdrop(owner, LAMPORTS_PER_SOL);
    await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) });
    const [mint, account] = [Keypair.generate(), Keypair.generate()];
    await program.methods
      .initializeMint2(6, owner, null)
      .accounts({ mint: mint.publicKey })
      .preInstructions([await space(mint.publicKey, MINT_BYTES)])
      .signers([mint])
      .rpc();
    await program.methods
      .initializeAccount3(owner)
      .accounts({ mint: mint.publicKey, account: account.publicKey })
      .preInstructions([await space(account.publicKey, ACCOUNT_BYTES)])
      .signers([account])
      .rpc();
    const changed = new Promise<{ readonly supply: BN }>((resolve) => {
      program.account.mint.subscribe(mint.publicKey, 'confirmed').once('change', resolve);
    });
    const accounts = { mint: mint.publicKey, account: account.publicKey };
    const minting = program.methods.mintTo(new BN(2_500_000)).accounts({ ...accounts, mintAuthority: owner });
    expect((await minting.simulate()).raw.join('\n')).toContain('success');
    await minting.rpc();
    expect((await changed).supply.toString()).toBe('2500000');
    const stored = await program.account.mint.fetch(mint.publicKey);
    expect(stored).toMatchObject({ decimals: 6, isInitialized: true, mintAuthority: owner });
    expect(stored.supply.toString()).toBe('2500000');
    const burning = program.methods.burn(new BN(2_500_001)).accounts({ ...accounts, owner });
    const failure: unknown = await burning.rpc().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SendTransactionError);
    expect(failure).toMatchObject({
      transactionError: { message: expect.stringMatching(/custom program error: 0x1$/) },
      logs: expect.arrayContaining([`Program ${program.programId} failed: custom program error: 0x1`]),
    });
    await program.account.mint.unsubscribe(mint.publicKey);
  });
});
