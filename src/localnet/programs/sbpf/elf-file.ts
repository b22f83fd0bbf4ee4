import { ByteWriter } from '../../bytes/byte-writer.ts';

const HEADER_BYTES = 64;
const PROGRAM_HEADER_BYTES = 56;
const SECTION_HEADER_BYTES = 64;
/** 64 bits, little-endian, version 1. */
const IDENTIFICATION = Buffer.from('7f454c46020101000000000000000000', 'hex');
const SHARED_OBJECT = 3;
const MACHINE_SBPF = 263;
const VERSION = 1;
const PROGRAM_BITS = 1;
const STRING_TABLE = 3;
const ALLOCATED_EXECUTABLE = 6n;
/** Names of the sections, each with the place where it begins. */
const NAMES = Buffer.from('\0.text\0.shstrtab\0');
const TEXT_NAME = 1;
const NAMES_NAME = 7;

type Section = {
  readonly name: number;
  readonly type: number;
  readonly flags: bigint;
  /** Address, which is the offset in the file. */
  readonly at: number;
  readonly size: number;
};

/** Returns the ELF file of a program for sBPF version 0: its code, which begins with the entry point and calls no syscalls, and nothing else. */
export function elfFile(code: Uint8Array): Uint8Array {
  const namesAt = HEADER_BYTES + code.length;
  // Section headers are aligned to 8 bytes.
  const sectionsAt = Math.ceil((namesAt + NAMES.length) / 8) * 8;
  const sections: readonly Section[] = [
    { name: 0, type: 0, flags: 0n, at: 0, size: 0 },
    { name: TEXT_NAME, type: PROGRAM_BITS, flags: ALLOCATED_EXECUTABLE, at: HEADER_BYTES, size: code.length },
    { name: NAMES_NAME, type: STRING_TABLE, flags: 0n, at: namesAt, size: NAMES.length },
  ];
  const file = new ByteWriter(sectionsAt + sections.length * SECTION_HEADER_BYTES);
  file.put(IDENTIFICATION).u16(SHARED_OBJECT).u16(MACHINE_SBPF).u32(VERSION);
  file.u64(BigInt(HEADER_BYTES)).u64(0n).u64(BigInt(sectionsAt)).u32(0);
  file.u16(HEADER_BYTES).u16(PROGRAM_HEADER_BYTES).u16(0);
  file
    .u16(SECTION_HEADER_BYTES)
    .u16(sections.length)
    .u16(sections.length - 1);
  file
    .put(code)
    .put(NAMES)
    .put(new Uint8Array(sectionsAt - namesAt - NAMES.length));
  for (const { name, type, flags, at, size } of sections) {
    file.u32(name).u32(type).u64(flags).u64(BigInt(at)).u64(BigInt(at)).u64(BigInt(size));
    file.u32(0).u32(0).u64(1n).u64(0n);
  }
  return file.bytes;
}
