import { countBitsOfLength, type QrVersion } from './qr-version.ts';
import { errorCorrection } from './reed-solomon.ts';

const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11];

/** Returns the codewords of bytes in the order in which they are drawn: data and error correction, blocks interleaved. */
export function codewordsOf(bytes: Uint8Array, version: QrVersion): readonly number[] {
  const blocks = splitBlocks(dataCodewords(bytes, version), version);
  const corrections = blocks.map((block) => errorCorrection(block, version.eccCodewordsPerBlock));
  return [...interleave(blocks), ...interleave(corrections)];
}

function dataCodewords(bytes: Uint8Array, { version, dataCodewords: limit }: QrVersion): readonly number[] {
  const bits: number[] = [];
  const append = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  append(BYTE_MODE, 4);
  append(bytes.length, countBitsOfLength(version));
  for (const byte of bytes) append(byte, 8);
  append(0, Math.min(4, limit * 8 - bits.length));
  append(0, (8 - (bits.length % 8)) % 8);
  const words = Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((word, bit) => (word << 1) | bit, 0),
  );
  while (words.length < limit) words.push(PADDING[(words.length - bits.length / 8) % 2] ?? 0);
  return words;
}

/** Shorter blocks come first; those after have one codeword more. */
function splitBlocks(data: readonly number[], { blocks }: QrVersion): readonly (readonly number[])[] {
  const short = Math.floor(data.length / blocks);
  const shortBlocks = blocks - (data.length % blocks);
  return Array.from({ length: blocks }, (_, index) => {
    const begin = index * short + Math.max(0, index - shortBlocks);
    return data.slice(begin, begin + short + (index < shortBlocks ? 0 : 1));
  });
}

function interleave(blocks: readonly (readonly number[])[]): readonly number[] {
  const longest = Math.max(...blocks.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    blocks.flatMap((block) => block.slice(index, index + 1)),
  ).flat();
}
