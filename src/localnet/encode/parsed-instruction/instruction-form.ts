import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import type { JsonValue } from '../parsed-account/parsed-state.ts';

export type Info = { readonly [member: string]: JsonValue };

/** The `parsed` member of an instruction that has named parts. */
export type ParsedBody = { readonly type: string; readonly info: Info };

/** The form of an instruction of a known type: its data, and the roles of its accounts. */
export type InstructionForm = {
  readonly type: string;
  /** Names of the first accounts, all of them required. */
  readonly accounts: readonly string[];
  /** Minimum number of accounts, if more than those named. */
  readonly minimum?: number;
  /**
   * The authority: the account after those, under the first name; under the second if signer accounts follow it (SPL Token's multisignature
   * authorities).
   */
  readonly authority?: readonly [single: string, multisig: string];
  /** Further accounts, which are either all present or not shown. */
  readonly optional?: readonly string[];
  /** Further accounts, each null if it is missing. */
  readonly nullable?: readonly string[];
  /** The last accounts as a list: `count` of them, or all that remain. */
  readonly list?: { readonly name: string; readonly count?: number };
  readonly info?: Info;
};

/** Reads the form from the instruction's data; rejects data that matches no form. */
export type ReadForm = (reader: ByteReader) => InstructionForm;

/** Parses an instruction; undefined if its data matches no form or accounts are missing. */
export function parseForm(
  data: Uint8Array,
  accounts: readonly string[],
  read: ReadForm,
): ParsedBody | undefined {
  const form = decodeBytes(data, read);
  return form && fillForm(form, accounts);
}

function fillForm(form: InstructionForm, accounts: readonly string[]): ParsedBody | undefined {
  const { list } = form;
  const listed = list === undefined ? 0 : (list.count ?? Math.max(accounts.length - form.accounts.length, 0));
  if (accounts.length < (form.minimum ?? 0)) return undefined;
  const split = accounts.length - listed;
  if (split < form.accounts.length + (form.authority === undefined ? 0 : 1)) return undefined;
  const info = {
    ...form.info,
    ...nameAccounts(form.accounts, accounts),
    ...nameFollowing(form, accounts.slice(form.accounts.length, split)),
    ...(list && { [list.name]: accounts.slice(split) }),
  };
  return { type: form.type, info };
}

function nameFollowing(form: InstructionForm, following: readonly string[]): Info {
  if (form.authority !== undefined) return nameAuthority(form.authority, following);
  if (form.nullable !== undefined) return nameAccounts(form.nullable, following);
  const optional = form.optional ?? [];
  return following.length < optional.length ? {} : nameAccounts(optional, following);
}

function nameAuthority([single, multisig]: readonly [string, string], following: readonly string[]): Info {
  const [authority = null, ...signers] = following;
  return signers.length === 0 ? { [single]: authority } : { [multisig]: authority, signers };
}

function nameAccounts(names: readonly string[], accounts: readonly string[]): Info {
  return Object.fromEntries(names.map((name, index) => [name, accounts[index] ?? null]));
}

/** Returns a member if it has a value, else nothing. */
export function ifAny(name: string, value: JsonValue): Info {
  return value === null ? {} : { [name]: value };
}
