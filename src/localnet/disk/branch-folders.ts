import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const CHAIN_FILE = /^(?:slots-\d+\.log|accounts-\d+\.bin)$/;
const BRANCH = /^branch-(\d+)$/;

/** Returns the directory of a branch's slots and accounts; the first branch uses the folder itself. */
export function branchFolder(directory: string, branch: number): string {
  return branch === 0 ? directory : join(directory, `branch-${branch}`);
}

/** Deletes the files of a branch. */
export function deleteBranch(directory: string, branch: number): void {
  const names = branch === 0 ? readdirSync(directory).filter((name) => CHAIN_FILE.test(name)) : [''];
  for (const name of names)
    rmSync(join(branchFolder(directory, branch), name), { recursive: true, force: true });
}

/** Deletes the files of all branches but one. */
export function deleteOtherBranches(directory: string, branch: number): void {
  const numbers = readdirSync(directory).flatMap((name) => BRANCH.exec(name)?.[1] ?? []);
  for (const other of [0, ...numbers.map(Number)]) if (other !== branch) deleteBranch(directory, other);
}
