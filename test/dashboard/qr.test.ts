import { createHash } from 'node:crypto';
import { encode } from 'uqr';
import { expect, it } from 'vitest';
import { pathOf } from '../../src/dashboard/pages/security/path-of-symbol.ts';

/** The symbols are those of the reference encoder `qrcodegen` (nayuki/QR-Code-generator), level M, byte mode. */
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

const rowsOf = (text: string): string =>
  encode(text, { ecc: 'M', border: 0 })
    .data.map((row) => row.map((isDark) => (isDark ? '#' : '.')).join(''))
    .join('\n');

it('a short text is the symbol of the reference encoder, module by module', () => {
  expect(rowsOf('hi')).toBe(HI);
});

it('the link of a second factor is the symbol of the reference encoder, its mask too', () => {
  const link =
    'otpauth://totp/Keyslot:ann%40example.com?issuer=Keyslot&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30';
  const digest = createHash('sha256').update(rowsOf(link)).digest('hex');
  expect(digest).toBe('7e18e37989e4e57d32fbd8d8706325c1b66fd8bcf6c3cb51b922e3b9c6e7f54a');
});

it('a path has a rectangle for each run of dark modules', () => {
  expect(pathOf([[true, true, false, true]])).toBe('M0 0h2v1h-2zM3 0h1v1h-1z');
});
