import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import { withUpgradeAuthority } from '../programs/upgradeable-program.ts';
import { addressOf } from './address-or-none.ts';
import { findCode } from './find-code.ts';
import { writeAccounts } from './write-accounts.ts';

export const localnetSetProgramAuthority: LedgerHandler<Ledger, 'localnet_setProgramAuthority'> = async (
  ledger,
  program,
  authority,
) => {
  await ledger.fork?.touch(ledger, [program]);
  const code = findCode(ledger, program);
  const reason = `${program} is no program of the upgradeable loader`;
  if (code === undefined) throw serviceError('invalidParam', { reason });
  const account = withUpgradeAuthority(code.account, addressOf(authority));
  writeAccounts(ledger, [{ address: code.address, account }], reason);
  return null;
};
