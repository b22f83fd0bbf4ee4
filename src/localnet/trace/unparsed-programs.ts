import * as programs from '../addresses/program-ids.ts';
import { type ByteReader, decodeBytes } from '../bytes/byte-reader.ts';
import { readConfigKeys } from '../encode/parsed-account/config.ts';
import type { JsonValue } from '../encode/parsed-account/parsed-state.ts';

type NamedParts = { readonly instruction: string; readonly info: JsonValue };
type UnparsedProgram = { readonly name: string; readonly read: (reader: ByteReader) => NamedParts };

/** Instructions of the compute budget program: a byte for the type, then the limit or price. */
const BUDGET_FORMS: readonly ((reader: ByteReader) => NamedParts)[] = [
  (reader) => reader.reject(),
  (reader) => ({ instruction: 'requestHeapFrame', info: { bytes: reader.u32() } }),
  (reader) => ({ instruction: 'setComputeUnitLimit', info: { units: reader.u32() } }),
  (reader) => ({ instruction: 'setComputeUnitPrice', info: { microLamports: reader.u64() } }),
  (reader) => ({ instruction: 'setLoadedAccountsDataSizeLimit', info: { bytes: reader.u32() } }),
];

const verify = (reader: ByteReader): NamedParts => ({
  instruction: 'verify',
  info: { signatures: reader.u8() },
});

/** Programs that nodes run but do not parse. */
const PROGRAMS: ReadonlyMap<string, UnparsedProgram> = new Map<string, UnparsedProgram>([
  [
    programs.COMPUTE_BUDGET_PROGRAM,
    { name: 'compute-budget', read: (reader) => reader.oneOf(reader.u8(), BUDGET_FORMS)(reader) },
  ],
  [
    programs.CONFIG_PROGRAM,
    {
      name: 'config',
      read: (reader) => ({
        instruction: 'store',
        info: { keys: readConfigKeys(reader), dataLength: reader.left },
      }),
    },
  ],
  [programs.ED25519_PROGRAM, { name: 'ed25519', read: verify }],
  [programs.SECP256K1_PROGRAM, { name: 'secp256k1', read: verify }],
  [programs.SECP256R1_PROGRAM, { name: 'secp256r1', read: verify }],
]);

/** Names an instruction of a program that every node has and none parses; undefined for any other program. */
export function nameUnparsed(
  programId: string,
  data: Uint8Array,
): { readonly program: string; readonly parts: NamedParts | undefined } | undefined {
  const program = PROGRAMS.get(programId);
  return program && { program: program.name, parts: decodeBytes(data, program.read) };
}
