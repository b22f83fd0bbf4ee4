import { expect, test } from 'vitest';
import { parseDerivationPath, printDerivationPath } from '../../../src/core/keys/derivation-path.ts';

test.each([
  ["m/44'/501'/0'/0'", 0, 0],
  ["m/44'/501'/7'/2147483647'", 7, 2147483647],
  ["m/44'/501'/2147483647'/1'", 2147483647, 1],
])('%s is a path, and is printed as it was read', (text, x, y) => {
  expect(parseDerivationPath(text)).toEqual({ kind: 'path', x, y });
  expect(printDerivationPath({ x, y })).toBe(text);
});

test.each([
  ["m/44'/501'/0'/2147483648'", 'level 4 is above 2147483647'],
  ["m/44'/501'/99999999999999999999'/0'", 'level 3 is above 2147483647'],
  ["m/44'/501'/0'/0", "level 4 is not hardened: Ed25519 has hardened levels only, written with '"],
  ["m/44'/60'/0'/0'", "level 2, the coin, must be 501'"],
  ["m/49'/501'/0'/0'", "level 1, the purpose, must be 44'"],
  ["m/44'/501'/0'", "it must have four levels below m, m/44'/501'/x'/y', not 3"],
  ["m/44'/501'/0'/0'/0'", "it must have four levels below m, m/44'/501'/x'/y', not 5"],
  ["44'/501'/0'/0'", `it must begin with "m/": m/44'/501'/x'/y'`],
  ["M/44'/501'/0'/0'", `it must begin with "m/": m/44'/501'/x'/y'`],
  ['', `it must begin with "m/": m/44'/501'/x'/y'`],
  ["m/44'/501'/00'/0'", 'level 3 begins with a zero'],
  ["m/44'/501'/-1'/0'", "level 3 must be a number followed by '"],
  ["m/44'/501'/1e3'/0'", "level 3 must be a number followed by '"],
  ["m/44'/501'/0h/0'", "level 3 must be a number followed by '"],
  ["m/44'/501'/ 0'/0'", "level 3 must be a number followed by '"],
  ["m/44'/501'/٣'/0'", "level 3 must be a number followed by '"],
  ["m/44'/501'/0'/0'\n", "level 4 must be a number followed by '"],
])('%j is refused with the reason', (text, reason) => {
  expect(parseDerivationPath(text)).toEqual({ kind: 'refused', reason });
});
