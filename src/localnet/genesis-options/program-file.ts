import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import type { AddedAccount } from '../genesis/genesis-additions.ts';
import { isElf, upgradeableProgram } from '../programs/upgradeable-program.ts';
import { optionProblem } from './option-problem.ts';
import { parseAddress } from './parse-address.ts';
import { readFile } from './read-file.ts';

const NO_AUTHORITY = 'none';

export type ProgramOption = {
  readonly option: string;
  /** In base-58, or a key file. */
  readonly address: string;
  readonly path: string;
  /** In base-58, a key file, or "none". */
  readonly authority: string;
};

/**
 * Reads `--bpf-program ADDRESS FILE` and `--upgradeable-program ADDRESS FILE AUTHORITY`: the accounts of an upgradeable program deployed in
 * slot 0. As on a test validator, one that nobody can upgrade has the system program's address as its authority.
 *
 * @throws ServiceError invalidConfig.
 */
export async function readProgramFile(given: ProgramOption): Promise<readonly AddedAccount[]> {
  const { option, path } = given;
  const address = parseAddress(option, given.address);
  const authority = given.authority === NO_AUTHORITY ? SYSTEM_PROGRAM : parseAddress(option, given.authority);
  const elf = readFile(option, path);
  if (!isElf(elf)) throw optionProblem(`${option}: ${path} is not a program: expected an ELF file`);
  const accounts = await upgradeableProgram({ address, elf, authority, slot: 0n });
  return accounts.map((entry) => ({ ...entry, origin: `${option} ${path}`, isMadeExempt: true }));
}
