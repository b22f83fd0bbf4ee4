import type { Runtime } from '../bank/runtime.ts';
import { rentExempt } from '../bank/rent-exempt.ts';
import { CONFIG_PROGRAM, SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { KeyedAccount } from '../model.ts';
import { CONFIG_PROGRAM_CODE } from './config-program-code.ts';
import { assemble } from './sbpf/assemble.ts';
import { elfFile } from './sbpf/elf-file.ts';
import { upgradeableAccounts } from './upgradeable-program.ts';

/** Derived from the address of the program. */
const CODE_ADDRESS = 'CHKQ74qcDUJbwc4snCEZXL8tV1WQvXqioArLGgUHPZq9';

/** Returns the accounts of the config program as in a test validator: deployed in slot 0, without an upgrade authority. */
export function configProgram(runtime: Runtime): readonly KeyedAccount[] {
  const elf = elfFile(assemble(CONFIG_PROGRAM_CODE));
  const program = { address: CONFIG_PROGRAM, elf, authority: SYSTEM_PROGRAM, slot: 0n };
  return upgradeableAccounts(program, CODE_ADDRESS).map((entry) => rentExempt(runtime, entry));
}
