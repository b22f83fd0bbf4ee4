/** A size of QR codes at error correction level M, ISO/IEC 18004:2015 table 9. */
export type QrVersion = {
  /** 1 to 40. */
  readonly version: number;
  /** Modules of a side. */
  readonly size: number;
  readonly dataCodewords: number;
  readonly eccCodewordsPerBlock: number;
  readonly blocks: number;
};

/** Error correction codewords of a block, by version from 1. */
const ECC_PER_BLOCK = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
];

/** Number of blocks, by version from 1. */
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
  31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];

const VERSIONS: readonly QrVersion[] = BLOCKS.map((blocks, index) => {
  const version = index + 1;
  const eccCodewordsPerBlock = ECC_PER_BLOCK[index] ?? 0;
  const dataCodewords = Math.floor(countDataModules(version) / 8) - blocks * eccCodewordsPerBlock;
  return { version, size: version * 4 + 17, dataCodewords, eccCodewordsPerBlock, blocks };
});

/** Returns the smallest version that holds bytes. Throws RangeError for more than 2,331 bytes, which none holds. */
export function findVersion(byteCount: number): QrVersion {
  const found = VERSIONS.find(
    ({ version, dataCodewords }) => 4 + countBitsOfLength(version) + byteCount * 8 <= dataCodewords * 8,
  );
  if (found === undefined) throw new RangeError(`a QR code holds at most 2331 bytes, got ${byteCount}`);
  return found;
}

/** Bits of the length in byte mode. */
export function countBitsOfLength(version: number): number {
  return version < 10 ? 8 : 16;
}

/** Returns where the centres of the alignment patterns are, in both directions. */
export function alignmentPositions(version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = version * 4 + 10;
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  const rest = Array.from({ length: count - 1 }, (_, index) => last - (count - 2 - index) * step);
  return [6, ...rest];
}

/** Modules that are left for codewords beside all patterns. */
function countDataModules(version: number): number {
  const align = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const alignmentModules = version === 1 ? 0 : (25 * align - 10) * align - 55;
  const versionModules = version >= 7 ? 36 : 0;
  return (16 * version + 128) * version + 64 - alignmentModules - versionModules;
}
