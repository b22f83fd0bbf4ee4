import fc from 'fast-check';
import { type AccountMeta, Keypair, type PublicKey } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { rounds } from '../../support/tier.ts';
import { newCheatLedger } from '../cheats/new-cheat-ledger.ts';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { CONFIG_PROGRAM, configData, type ConfigKey, storeBytes } from './config-store.ts';
import { storeError } from './config-store-model.ts';

const CASES = 600;
const TIMEOUT_MS = 600_000;
/** So few that stored keys, new keys and accounts are often the same. */
const KEYPAIRS = [Keypair.generate(), Keypair.generate(), Keypair.generate(), Keypair.generate()] as const;
const CONFIG = KEYPAIRS[0].publicKey;

type GivenStore = {
  readonly stored: readonly ConfigKey[];
  readonly keys: readonly ConfigKey[];
  readonly accounts: readonly [AccountMeta, ...AccountMeta[]];
  readonly configuration: Uint8Array;
  /** Bytes that the account has beyond what the instruction needs. */
  readonly spare: number;
};

const pubkey = fc.constantFrom(...KEYPAIRS).map(({ publicKey }) => publicKey);
const entries = fc.array(fc.tuple(pubkey, fc.boolean()), { maxLength: 4 });
const mostly = fc.constantFrom(true, true, true, true, false);
const lists = fc
  .record({ stored: entries, fresh: entries, isSame: fc.boolean() })
  .map(({ stored, fresh, isSame }) => ({ stored, keys: isSame ? stored : fresh }));

/** Mostly with the accounts that the list asks for, so that many are accepted. */
const stores: fc.Arbitrary<GivenStore> = lists.chain(({ stored, keys }) => {
  const asked = keys.flatMap(([each, signs]) =>
    signs && !each.equals(CONFIG) ? [{ pubkey: each, isSigner: true, isWritable: false }] : [],
  );
  const any = fc.record({ pubkey, isSigner: fc.boolean(), isWritable: fc.constant(false) });
  return fc.record({
    stored: fc.constant(stored),
    keys: fc.constant(keys),
    accounts: fc
      .tuple(
        fc.record({ pubkey: fc.constant(CONFIG), isSigner: mostly, isWritable: mostly }),
        fc.oneof({ arbitrary: fc.constant(asked), weight: 3 }, fc.array(any, { maxLength: 4 })),
      )
      .map(([first, others]): [AccountMeta, ...AccountMeta[]] => [first, ...others]),
    configuration: fc.uint8Array({ maxLength: 40 }),
    spare: fc.integer({ min: -1, max: 20 }),
  });
});

async function scene() {
  const ledger = newCheatLedger();
  const wallet = await fundedWallet(ledger, 10_000_000_000_000n);
  /** Sends one to an account with such data. Returns the error, and the data of the account afterwards. */
  const send = async (data: Buffer, held: Buffer, accounts: readonly AccountMeta[]) => {
    const owned = {
      lamports: 1_000_000_000,
      owner: CONFIG_PROGRAM.toBase58(),
      data: held.toString('base64'),
    };
    await ledger.cheat('localnet_setAccount', CONFIG.toBase58(), owned);
    const signers = KEYPAIRS.filter(({ publicKey }) => hasRight(accounts, publicKey, 'isSigner'));
    const text = signed(ledger, [wallet, ...signers], storeBytes(data, ...accounts));
    const { err } = (await landed(ledger, await sendNow(ledger, text))) ?? {};
    ledger.tick();
    return { err, after: Buffer.from(ledger.ledger.accounts.current(CONFIG.toBase58())?.data ?? []) };
  };
  return { send };
}

/** True if an account has the right; signing or writable in one place is so in all of the transaction. */
function hasRight(
  accounts: readonly AccountMeta[],
  key: PublicKey,
  right: 'isSigner' | 'isWritable',
): boolean {
  return accounts.some((account) => account.pubkey.equals(key) && account[right]);
}

test(
  'Store answers by its rules, whatever keys and accounts it is given',
  async () => {
    const { send } = await scene();
    let accepted = 0;
    const cases = rounds(CASES);
    const property = async ({ stored, keys, accounts, configuration, spare }: GivenStore): Promise<void> => {
      const data = configData(keys, configuration);
      const list = configData(stored);
      const room = Math.max(list.length, data.length + spare);
      const held = Buffer.concat([list, Buffer.alloc(room - list.length)]);
      const { err, after } = await send(data, held, accounts);
      const [account = accounts[0], ...others] = accounts.map(({ pubkey: key }) => ({
        pubkey: key,
        isSigner: hasRight(accounts, key, 'isSigner'),
        isWritable: hasRight(accounts, key, 'isWritable'),
      }));
      const error = storeError({ stored, account, others, keys, room, length: data.length });
      if (error === undefined) accepted += 1;
      expect(err).toEqual(error === undefined ? null : { InstructionError: [0, error] });
      expect(after).toEqual(error === undefined ? Buffer.concat([data, held.subarray(data.length)]) : held);
    };
    const seed = Number(process.env.KEYSLOT_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
    await fc.assert(fc.asyncProperty(stores, property), { numRuns: cases, seed });
    expect(accepted).toBeGreaterThan(cases / 20);
    expect(accepted).toBeLessThan((cases * 19) / 20);
  },
  TIMEOUT_MS,
);
