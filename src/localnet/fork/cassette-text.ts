import { encodeBase64 } from '../bytes/base64.ts';
import { parseJson, stringifyJson } from '../../rpc/json.ts';
import { epochLengthsJson, readEpochLengths } from '../epoch/epoch-lengths.ts';
import { isObject, readAccountJson } from '../genesis-options/account-json.ts';
import { isAddress } from '../genesis-options/parse-address.ts';
import { Cassette } from './cassette.ts';
import { readSlot } from './fetch-accounts.ts';

const FORMAT = 'keyslot cassette 1';
const NEWLINE = 10;

/**
 * The lines of a cassette: JSON, first what it is of, then its accounts and lists, each sorted. The same content gives the same text, and
 * nothing in it tells where the node is.
 */
export function* cassetteLines(cassette: Cassette): Generator<string> {
  const { genesisHash, slot, epochs } = cassette;
  const epochSchedule = epochs === undefined ? {} : { epochSchedule: epochLengthsJson(epochs) };
  yield `${stringifyJson({ format: FORMAT, genesisHash, slot, ...epochSchedule })}\n`;
  for (const { address, account } of cassette.accounts()) {
    if (account === undefined) {
      yield `${stringifyJson({ account: address, absent: true })}\n`;
      continue;
    }
    const { lamports, owner, executable, rentEpoch } = account;
    const data = [encodeBase64(account.data), 'base64'];
    yield `${stringifyJson({ account: address, lamports, owner, executable, rentEpoch, data })}\n`;
  }
  for (const { listing, addresses } of cassette.lists())
    yield `${stringifyJson({ list: parseJson(listing), addresses })}\n`;
}

/** A cassette, or the reason why the bytes are none. */
export type ReadCassette =
  | { readonly kind: 'cassette'; readonly cassette: Cassette }
  | { readonly kind: 'fault'; readonly reason: string };

/** Reads a cassette from the bytes of its file. */
export function readCassette(bytes: Buffer): ReadCassette {
  const head = parse(lineAt(bytes, 0));
  if (!isObject(head) || head.format !== FORMAT)
    return { kind: 'fault', reason: `its first line does not tell the format "${FORMAT}"` };
  const slot = readSlot(head.slot);
  if (typeof head.genesisHash !== 'string' || !isAddress(head.genesisHash) || slot === undefined)
    return { kind: 'fault', reason: 'line 1: expected genesisHash and slot' };
  const epochs = readEpochLengths(head.epochSchedule);
  if (head.epochSchedule !== undefined && epochs === undefined)
    return { kind: 'fault', reason: 'line 1: epochSchedule is none that a ledger can have' };
  const cassette = new Cassette({ genesisHash: head.genesisHash, slot, epochs });
  let number = 1;
  for (let at = lineAt(bytes, 0).length + 1; at < bytes.length; ) {
    const line = lineAt(bytes, at);
    at += line.length + 1;
    number += 1;
    const reason = recordLine(cassette, parse(line));
    if (reason !== undefined) return { kind: 'fault', reason: `line ${number}: ${reason}` };
  }
  return { kind: 'cassette', cassette };
}

/** Returns what is wrong with a line, if anything is. */
function recordLine(cassette: Cassette, json: unknown): string | undefined {
  if (!isObject(json)) return 'it is not a JSON object';
  const { account: address, absent, list, addresses } = json;
  if (Array.isArray(list) && Array.isArray(addresses) && addresses.every(isAddressText)) {
    cassette.recordList(JSON.stringify(list), addresses);
    return undefined;
  }
  if (!isAddressText(address)) return 'it is neither of an account nor a list of addresses';
  if (absent === true) {
    cassette.record({ address, account: undefined });
    return undefined;
  }
  const read = readAccountJson(json);
  if (read.kind === 'fault') return read.reason;
  cassette.record({ address, account: read.account });
  return undefined;
}

function isAddressText(value: unknown): value is string {
  return typeof value === 'string' && isAddress(value);
}

function lineAt(bytes: Buffer, at: number): Buffer {
  const end = bytes.indexOf(NEWLINE, at);
  return bytes.subarray(at, end === -1 ? bytes.length : end);
}

function parse(line: Buffer): unknown {
  try {
    return parseJson(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
