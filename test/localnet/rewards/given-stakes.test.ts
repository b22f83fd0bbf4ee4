import { expect, test } from 'vitest';
import { readDelegation } from '../../../src/localnet/validator/delegation.ts';
import type { Account } from '../../../src/localnet/model.ts';
import { STAKE_PROGRAM } from '../../../src/localnet/addresses/program-ids.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newCheatLedger } from '../cheats/new-cheat-ledger.ts';
import { newAddress } from '../disk/kept-ledger.ts';
import { read, writeAccount } from '../genesis-options/files.ts';
import { newLedger, type TestLedger } from '../new-ledger.ts';

const directory = useNewDirectory();
const OPTIONS = { slotsPerEpoch: 32 } as const;
const ADDRESS = newAddress();

/** The stake account of a ledger's own validator. */
function ownStake({ ledger }: TestLedger): Account {
  const account = ledger.accounts.current(ledger.genesis.stakeAddress);
  if (account === undefined) throw new Error('the ledger has no stake account');
  return account;
}

const base64 = ({ data }: Account): string => Buffer.from(data).toString('base64');

/** A stake that was set by a cheat code, and one of a file. */
const GIVEN: Readonly<Record<string, () => Promise<TestLedger>>> = {
  localnet_setAccount: async () => {
    const run = newCheatLedger(OPTIONS);
    const { lamports, ...stake } = ownStake(run);
    const changes = { lamports, owner: STAKE_PROGRAM, data: base64({ lamports, ...stake }) };
    await run.cheat('localnet_setAccount', ADDRESS, changes);
    return run;
  },
  '--account': async () => {
    const stake = ownStake(newLedger(OPTIONS));
    const json = { ...stake, data: [base64(stake), 'base64'] };
    const path = writeAccount(directory(), 'stake.json', ADDRESS, json);
    return newLedger({ ...OPTIONS, additions: await read({ lists: { account: ['-', path] } }) });
  },
};

test.each(Object.keys(GIVEN))(
  'a stake of %s is delegated what it is paid, and was not before',
  async (name) => {
    const run = await GIVEN[name]?.();
    if (run === undefined) throw new Error(`no ledger of ${name}`);
    const { ledger, tick } = run;
    while (ledger.blocks.openSlot < 65n) tick();
    const [before, paid] = [64n, 65n].map((slot) => {
      const account = ledger.accounts.read(ADDRESS, slot);
      return account === undefined ? undefined : { ...readDelegation(account), lamports: account.lamports };
    });
    const stake = ledger.genesis.stakeLamports;
    const rent = ledger.runtime.rentExemption(200n);
    expect(before).toMatchObject({ stake, lamports: stake + rent });
    const reward = (paid?.lamports ?? 0n) - stake - rent;
    expect(reward).toBeGreaterThan(0n);
    expect(paid).toMatchObject({ stake: stake + reward, creditsObserved: 32n * 16n });
    expect(readDelegation(ownStake(run))?.stake).toBe(stake + reward);
  },
);
