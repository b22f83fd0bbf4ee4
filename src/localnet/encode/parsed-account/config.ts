import { type ByteReader, decodeBytes } from '../../bytes/byte-reader.ts';
import { isObject } from '../../genesis-options/account-json.ts';
import { parseJson } from '../../../core/rpc/json.ts';
import type { JsonValue, ParsedState } from './parsed-state.ts';

/** The first key of an account that describes a validator. */
const VALIDATOR_INFO = 'Va1idator1nfo111111111111111111111111111111';
const MOST_KEYS = 2 ** 16 - 1;
/** Nodes read JSON that is nested less deep (crate serde_json). */
const MOST_LEVELS = 127;

/** The description of a validator that its operator has published; other accounts of the config program have no parsed form. */
export function parseConfig(data: Uint8Array): ParsedState | undefined {
  return decodeBytes(data, (reader) => {
    const keys = readConfigKeys(reader);
    if (keys[0]?.pubkey !== VALIDATOR_INFO) return reader.reject();
    const configData = jsonIn(reader.longText());
    if (!isObject(configData) || !isWithin(configData, MOST_LEVELS)) return reader.reject();
    return { type: 'validatorInfo', info: { keys, configData: configData as JsonValue } };
  });
}

/** Reads the keys at the front of a config account, and of the instruction that writes it. */
export function readConfigKeys(reader: ByteReader) {
  return reader.list(readCount(reader), () => ({ pubkey: reader.address(), signer: reader.bool() }));
}

/** One to three bytes, seven bits each, in the shortest form (short_vec). */
function readCount(reader: ByteReader): number {
  let count = 0;
  for (const shift of [0, 7, 14]) {
    const byte = reader.u8();
    if (byte === 0 && shift > 0) return reader.reject();
    count |= (byte & 0x7f) << shift;
    if (byte < 0x80) return count <= MOST_KEYS ? count : reader.reject();
  }
  return reader.reject();
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isWithin(member, levels - 1));
}
