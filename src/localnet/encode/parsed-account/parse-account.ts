import type { ParsedAccount } from '../../../../generated/ledger/types.ts';
import type { Account } from '../../model.ts';
import * as programs from '../../addresses/program-ids.ts';
import { byName } from '../by-name.ts';
import { parseConfig } from './config.ts';
import { parseLookupTable } from './lookup-table.ts';
import { parseNonce } from './nonce.ts';
import type { ParsedState } from './parsed-state.ts';
import { parseStake } from './stake.ts';
import { parseSysvar } from './sysvar.ts';
import { type MintTerms, parseToken } from './token.ts';
import { parseUpgradeableLoader } from './upgradeable-loader.ts';
import { parseVote } from './vote.ts';

type Parser = {
  readonly program: string;
  readonly parse: (data: Uint8Array, address: string, terms: MintTerms) => ParsedState | undefined;
};

/**
 * Parses the data of an account by its owner; undefined if nodes do not know the owner or cannot read the data. The shapes are those of
 * crate solana-account-decoder.
 */
export function parseAccount(address: string, account: Account, terms: MintTerms): ParsedAccount | undefined {
  const parser = PARSERS.get(account.owner);
  const parsed = parser?.parse(account.data, address, terms);
  if (parser === undefined || parsed === undefined) return undefined;
  return {
    program: parser.program,
    parsed: byName(parsed),
    space: BigInt(account.data.length),
  } as ParsedAccount;
}

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [programs.SYSTEM_PROGRAM, { program: 'nonce', parse: parseNonce }],
  [programs.TOKEN_PROGRAM, { program: 'spl-token', parse: (data, _, terms) => parseToken(data, terms) }],
  [
    programs.TOKEN_2022_PROGRAM,
    { program: 'spl-token-2022', parse: (data, _, terms) => parseToken(data, terms) },
  ],
  [programs.ADDRESS_LOOKUP_TABLE_PROGRAM, { program: 'address-lookup-table', parse: parseLookupTable }],
  [programs.UPGRADEABLE_LOADER, { program: 'bpf-upgradeable-loader', parse: parseUpgradeableLoader }],
  [programs.STAKE_PROGRAM, { program: 'stake', parse: parseStake }],
  [programs.VOTE_PROGRAM, { program: 'vote', parse: parseVote }],
  [programs.CONFIG_PROGRAM, { program: 'config', parse: parseConfig }],
  [programs.SYSVAR_OWNER, { program: 'sysvar', parse: (data, address) => parseSysvar(address, data) }],
]);
