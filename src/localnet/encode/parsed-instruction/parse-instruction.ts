import type { ParsedInstruction } from '../../../../generated/ledger/types.ts';
import type { Instruction } from '../../../core/wire/message.ts';
import * as programs from '../../addresses/program-ids.ts';
import { byName } from '../by-name.ts';
import { readAssociatedTokenForm } from './associated-token.ts';
import { type ParsedBody, parseForm, type ReadForm } from './instruction-form.ts';
import { parseStakeInstruction } from './stake.ts';
import { readSystemForm } from './system.ts';
import { readTokenForm } from './token.ts';
import { readTokenInterfaceForm } from './token-interface.ts';
import { readVoteForm } from './vote.ts';
import { decodeBytes, type ByteReader } from '../../bytes/byte-reader.ts';
import { encodeBase64 } from '../../bytes/base58.ts';

/** Instructions of loader-v2 (bincode). */
const readLoaderForm: ReadForm = (reader) => reader.oneOf(reader.u32(), LOADER_FORMS)(reader);

/** Instructions of the upgradeable loader, loader-v3 (bincode). */
const readUpgradeableLoaderForm: ReadForm = (reader) =>
  reader.oneOf(reader.u32(), UPGRADEABLE_LOADER_FORMS)(reader);

const LOADER_FORMS: readonly ReadForm[] = [
  (reader) => ({ type: 'write', accounts: ['account'], info: readWrite(reader) }),
  () => ({ type: 'finalize', accounts: ['account'], minimum: 2 }),
];

const UPGRADEABLE_LOADER_FORMS: readonly ReadForm[] = [
  () => ({ type: 'initializeBuffer', accounts: ['account'], optional: ['authority'] }),
  (reader) => ({ type: 'write', accounts: ['account', 'authority'], info: readWrite(reader) }),
  (reader) => ({
    type: 'deployWithMaxDataLen',
    accounts: [
      'payerAccount',
      'programDataAccount',
      'programAccount',
      'bufferAccount',
      'rentSysvar',
      'clockSysvar',
      'systemProgram',
      'authority',
    ],
    info: { maxDataLen: reader.u64() },
  }),
  () => ({
    type: 'upgrade',
    accounts: [
      'programDataAccount',
      'programAccount',
      'bufferAccount',
      'spillAccount',
      'rentSysvar',
      'clockSysvar',
      'authority',
    ],
  }),
  () => ({ type: 'setAuthority', accounts: ['account', 'authority'], nullable: ['newAuthority'] }),
  () => ({ type: 'close', accounts: ['account', 'recipient', 'authority'], nullable: ['programAccount'] }),
  (reader) => ({
    type: 'extendProgram',
    accounts: ['programDataAccount', 'programAccount'],
    nullable: ['systemProgram', 'payerAccount'],
    info: { additionalBytes: reader.u32() },
  }),
  () => ({ type: 'setAuthorityChecked', accounts: ['account', 'authority', 'newAuthority'] }),
];

function readWrite(reader: ByteReader) {
  const offset = reader.u32();
  return { offset, bytes: encodeBase64(reader.bytes(reader.length(reader.u64()))) };
}

/** Type byte of a batch. */
const BATCH = 255;

type ParseOne = (data: Uint8Array, accounts: readonly string[]) => ParsedBody | undefined;

/**
 * Parses a batch of token instructions, each preceded by the number of its accounts and the length of its data; undefined for any other
 * data, and if one of them cannot be parsed. Batches do not nest.
 */
function parseBatch(
  data: Uint8Array,
  accounts: readonly string[],
  parseOne: ParseOne,
): ParsedBody | undefined {
  const calls = decodeBytes(data, readCalls);
  if (calls === undefined) return undefined;
  const instructions: ParsedBody[] = [];
  let next = 0;
  for (const call of calls) {
    const own = accounts.slice(next, next + call.accounts);
    const parsed = own.length === call.accounts && own.length > 0 ? parseOne(call.data, own) : undefined;
    if (parsed === undefined) return undefined;
    instructions.push(parsed);
    next += call.accounts;
  }
  return { type: 'batch', info: { instructions } };
}

function readCalls(reader: ByteReader) {
  if (reader.u8() !== BATCH) reader.reject();
  const calls: { readonly accounts: number; readonly data: Uint8Array }[] = [];
  while (reader.left > 0) {
    const accounts = reader.u8();
    calls.push({ accounts, data: reader.bytes(reader.u8()) });
  }
  return calls;
}

/** Instructions of the address lookup table program (bincode). */
const readLookupTableForm: ReadForm = (reader) => reader.oneOf(reader.u32(), FORMS)(reader);

const TABLE = ['lookupTableAccount', 'lookupTableAuthority'];

const FORMS: readonly ReadForm[] = [
  (reader) => ({
    type: 'createLookupTable',
    accounts: [...TABLE, 'payerAccount', 'systemProgram'],
    info: { recentSlot: reader.u64(), bumpSeed: reader.u8() },
  }),
  () => ({ type: 'freezeLookupTable', accounts: TABLE }),
  (reader) => ({
    type: 'extendLookupTable',
    accounts: TABLE,
    optional: ['payerAccount', 'systemProgram'],
    info: { newAddresses: reader.list(reader.u64(), () => reader.address()) },
  }),
  () => ({ type: 'deactivateLookupTable', accounts: TABLE }),
  () => ({ type: 'closeLookupTable', accounts: [...TABLE, 'recipient'] }),
];

/** The text of a memo; undefined if it is not UTF-8. */
function parseMemo(data: Uint8Array): string | undefined {
  return decodeBytes(data, (reader) => reader.text(reader.left));
}

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
