import type { ParsedInstruction } from '../../../../generated/ledger/types.ts';
import type { Instruction } from '../../../wire/message.ts';
import * as programs from '../../addresses/program-ids.ts';
import { byName } from '../by-name.ts';
import { readAssociatedTokenForm } from './associated-token.ts';
import { type ParsedBody, parseForm, type ReadForm } from './instruction-form.ts';
import { readLoaderForm, readUpgradeableLoaderForm } from './loader.ts';
import { readLookupTableForm } from './lookup-table.ts';
import { parseMemo } from './memo.ts';
import { parseStakeInstruction } from './stake.ts';
import { readSystemForm } from './system.ts';
import { readTokenForm } from './token.ts';
import { parseBatch } from './token-batch.ts';
import { readTokenInterfaceForm } from './token-interface.ts';
import { readVoteForm } from './vote.ts';

/**
 * Parses an instruction into named parts; undefined if the program is unknown to nodes, or its data or accounts are invalid for the
 * program. `keys` are all account keys of the transaction; the height is 1 for an instruction of the message. The shapes are those of crate
 * solana-transaction-status.
 */
export function parseInstruction(
  programId: string,
  instruction: Instruction,
  keys: readonly string[],
  stackHeight: number | null,
): ParsedInstruction | undefined {
  const parser = PARSERS.get(programId);
  if (parser === undefined) return undefined;
  const accounts = instruction.accounts.map((index) => keys[index]);
  if (!accounts.every((account) => account !== undefined)) return undefined;
  const parsed = parser.parse(instruction.data, accounts);
  return parsed === undefined
    ? undefined
    : ({ program: parser.program, programId, parsed: byName(parsed), stackHeight } as ParsedInstruction);
}

/** Returns the name of a program as jsonParsed has it; undefined if nodes do not know the program. */
export function programName(programId: string): string | undefined {
  return PARSERS.get(programId)?.program;
}

type Parser = {
  readonly program: string;
  readonly parse: (data: Uint8Array, accounts: readonly string[]) => ParsedBody | string | undefined;
};

/** Every instruction with named parts has at least one account. */
function byForm(program: string, read: ReadForm): Parser {
  return {
    program,
    parse: (data, accounts) => (accounts.length > 0 ? parseForm(data, accounts, read) : undefined),
  };
}

const MEMO: Parser = { program: 'spl-memo', parse: parseMemo };
const TOKEN: Parser = {
  program: 'spl-token',
  parse: (data, accounts) => parseToken(data, accounts) ?? parseBatch(data, accounts, parseToken),
};

function parseToken(data: Uint8Array, accounts: readonly string[]): ParsedBody | undefined {
  return parseForm(data, accounts, readTokenForm) ?? parseForm(data, accounts, readTokenInterfaceForm);
}

const PARSERS: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  [programs.SYSTEM_PROGRAM, byForm('system', readSystemForm)],
  [programs.TOKEN_PROGRAM, TOKEN],
  [programs.TOKEN_2022_PROGRAM, TOKEN],
  [programs.ASSOCIATED_TOKEN_PROGRAM, byForm('spl-associated-token-account', readAssociatedTokenForm)],
  [programs.MEMO_V1_PROGRAM, MEMO],
  [programs.MEMO_V3_PROGRAM, MEMO],
  [programs.MEMO_V4_PROGRAM, MEMO],
  [programs.ADDRESS_LOOKUP_TABLE_PROGRAM, byForm('address-lookup-table', readLookupTableForm)],
  [programs.BPF_LOADER, byForm('bpf-loader', readLoaderForm)],
  [programs.UPGRADEABLE_LOADER, byForm('bpf-upgradeable-loader', readUpgradeableLoaderForm)],
  [programs.VOTE_PROGRAM, byForm('vote', readVoteForm)],
  [programs.STAKE_PROGRAM, { program: 'stake', parse: parseStakeInstruction }],
]);
