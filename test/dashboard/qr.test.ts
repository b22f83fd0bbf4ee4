import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { codewordsOf } from '../../src/dashboard/pages/security/qr/qr-codewords.ts';
import { drawSymbol, encodeQr, type QrSymbol } from '../../src/dashboard/pages/security/qr/encode-qr.ts';
import { pathOf } from '../../src/dashboard/pages/security/qr/path-of-symbol.ts';
import { findVersion } from '../../src/dashboard/pages/security/qr/qr-version.ts';
import { errorCorrection, multiply } from '../../src/dashboard/pages/security/qr/reed-solomon.ts';

/** The vectors are symbols of the reference encoder `qrcodegen` (nayuki/QR-Code-generator), level M, byte mode. */
const HI = `#######..####.#######
#.....#..##.#.#.....#
#.###.#.##.##.#.###.#
#.###.#.##..#.#.###.#
#.###.#.#..##.#.###.#
#.....#.##..#.#.....#
#######.#.#.#.#######
........#.###........
#.#####.....#.#####..
.###.#.#..#.#..#....#
..##..##.#.#.#..####.
###.#....#.....##.#..
###.#.#....#.#..#.#.#
........#..####..#..#
#######...#.#.##...#.
#.....#.#######..#..#
#.###.#.#...#..#..#..
#.###.#.###.#..#..#..
#.###.#.#..#.#..###..
#.....#..##....##.#..
#######.#.##.#..####.`;

const MOST_BYTES = 2_331;

const rowsOf = (symbol: QrSymbol): string =>
  symbol.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join('')).join('\n');

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

it('a short text is the symbol of the reference encoder, module by module', () => {
  expect(rowsOf(encodeQr('hi'))).toBe(HI);
});

it.each([
  [
    'otpauth://totp/Keyslot:ann%40example.com?issuer=Keyslot&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
    49,
    '7e18e37989e4e57d32fbd8d8706325c1b66fd8bcf6c3cb51b922e3b9c6e7f54a',
  ],
  ['grüße', 21, '3e4257ae8845d5e189166a71a18bdbdec66a8e0f48a2ab2d8cac8801bd9488ba'],
  ['c'.repeat(700), 101, '5f69ee3f11f572733f234beb8f1beee62292a2470ab40a1b17706f922d8a5740'],
])('the symbol of %s is that of the reference encoder, its mask too', (text, size, digest) => {
  const symbol = encodeQr(text);
  expect(symbol.length).toBe(size);
  expect(digestOf(rowsOf(symbol))).toBe(digest);
});

it('every version, filled to its last byte, and every mask are those of the reference encoder', () => {
  const hash = createHash('sha256');
  for (let count = 0; count <= MOST_BYTES; count += 1) {
    const version = findVersion(count);
    const isLast = count === MOST_BYTES || findVersion(count + 1).version > version.version;
    if (!isLast) continue;
    const bytes = Uint8Array.from({ length: count }, (_, index) => (index * 7 + version.version) % 256);
    hash.update(rowsOf(drawSymbol(codewordsOf(bytes, version), version, version.version % 8)));
  }
  expect(hash.digest('hex')).toBe('4aeff32cd5a0df720cc6f7d7966a4a48874a067fc64b8c4ff2f48f6a13c46d86');
});

it('a text that no symbol holds is refused', () => {
  expect(encodeQr('x'.repeat(MOST_BYTES)).length).toBe(177);
  expect(() => encodeQr('x'.repeat(MOST_BYTES + 1))).toThrow(RangeError);
});

it('a block with its error correction is divided by the generator without a remainder', () => {
  const data = [0x40, 0x26, 0x86, 0x90];
  const block = [...data, ...errorCorrection(data, 10)];
  for (let power = 0, root = 1; power < 10; power += 1, root = multiply(root, 2))
    expect(block.reduce((sum, word) => multiply(sum, root) ^ word, 0)).toBe(0);
});

it('a path has a rectangle for each run of dark modules, inside the quiet zone', () => {
  expect(pathOf([[true, true, false, true]])).toBe('M4 4h2v1h-2zM7 4h1v1h-1z');
});
