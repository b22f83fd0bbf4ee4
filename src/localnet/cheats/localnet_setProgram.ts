import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { rentExempt } from '../bank/rent-exempt.ts';
import type { Ledger } from '../ledger.ts';
import { isElf, upgradeableProgram, upgradeAuthority } from '../programs/upgradeable-program.ts';
import { addressOf } from './address-or-none.ts';
import { findCode } from './find-code.ts';
import { readBytes } from './read-bytes.ts';
import { writeAccounts } from './write-accounts.ts';

const NO_PROGRAM = 'the code is no program that the runtime can load';

/** Counts as deployed in the previous slot, so that it can be called and upgraded at once. */
export const localnetSetProgram: LedgerHandler<Ledger, 'localnet_setProgram'> = async (
  ledger,
  address,
  code,
  given,
) => {
  const elf = readBytes('code', code);
  if (!isElf(elf)) throw serviceError('invalidParam', { reason: NO_PROGRAM });
  await ledger.fork?.touch(ledger, [address]);
  const present = findCode(ledger, address);
  const kept = present === undefined ? null : upgradeAuthority(present.account);
  const authority = given === null || given === undefined ? kept : addressOf(given);
  const slot = ledger.blocks.openSlot - 1n;
  const accounts = upgradeableProgram({ address, elf, authority, slot });
  writeAccounts(
    ledger,
    accounts.map((entry) => rentExempt(ledger.runtime, entry)),
    NO_PROGRAM,
  );
  return null;
};
