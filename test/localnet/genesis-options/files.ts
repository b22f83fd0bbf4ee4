import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringifyJson } from '../../../src/core/rpc/json.ts';
import {
  type GivenGenesis,
  readGenesisOptions,
} from '../../../src/localnet/genesis-options/genesis-options.ts';
import { Runtime } from '../../../src/localnet/bank/runtime.ts';
import { MEMO_V3_PROGRAM } from '../../../src/localnet/addresses/program-ids.ts';

const NOTHING: GivenGenesis = { lists: {}, mint: undefined, faucetSol: undefined, url: undefined };

/** Reads options as the command line gives them. */
export const read = (given: Partial<GivenGenesis>) => readGenesisOptions({ ...NOTHING, ...given });

/** Writes an account file as the Solana command line does; returns its path. */
export function writeAccount(directory: string, name: string, pubkey: string, account: object): string {
  return write(directory, name, stringifyJson({ pubkey, account }));
}

export function write(directory: string, name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

/** Writes the code of a small program that the runtime ships: the memo program. */
export function writeProgram(directory: string): string {
  const account = new Runtime({ lamportsPerByte: 5_080n }).read(MEMO_V3_PROGRAM);
  return write(directory, 'program.so', account?.data ?? new Uint8Array(0));
}
