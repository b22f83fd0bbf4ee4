/** The variable indexes of m/44'/501'/x'/y': account x and change y, each 0 to 2^31 − 1. */
export type DerivationIndexes = { readonly x: number; readonly y: number };

export type ParsedPath =
  | ({ readonly kind: 'path' } & DerivationIndexes)
  | { readonly kind: 'refused'; readonly reason: string };

export const PURPOSE = 44;
/** Solana's coin type in SLIP-0044. */
export const COIN_TYPE = 501;
export const MAX_INDEX = 2 ** 31 - 1;
/** m/44'/501'/0'/0' */
export const DEFAULT_PATH: DerivationIndexes = { x: 0, y: 0 };

const LEVELS = 5;
const SHAPE = `m/${PURPOSE}'/${COIN_TYPE}'/x'/y'`;

/** Parses m/44'/501'/x'/y', or returns a sentence that says why the text is not such a path. It does not repeat the text. */
export function parseDerivationPath(text: string): ParsedPath {
  const levels = text.split('/');
  if (levels[0] !== 'm') return refused(`it must begin with "m/": ${SHAPE}`);
  if (levels.length !== LEVELS) {
    return refused(`it must have four levels below m, ${SHAPE}, not ${levels.length - 1}`);
  }
  const indexes: number[] = [];
  for (const [at, level] of levels.slice(1).entries()) {
    const index = readLevel(level);
    if (typeof index === 'string') return refused(`level ${at + 1} ${index}`);
    indexes.push(index);
  }
  const [purpose, coin, x = 0, y = 0] = indexes;
  if (purpose !== PURPOSE) return refused(`level 1, the purpose, must be ${PURPOSE}'`);
  if (coin !== COIN_TYPE) return refused(`level 2, the coin, must be ${COIN_TYPE}'`);
  return { kind: 'path', x, y };
}

/** Prints the path as BIP 44 writes it: m/44'/501'/x'/y'. */
export function printDerivationPath({ x, y }: DerivationIndexes): string {
  return `m/${PURPOSE}'/${COIN_TYPE}'/${x}'/${y}'`;
}

function readLevel(level: string): number | string {
  if (/^[0-9]+$/.test(level)) return "is not hardened: Ed25519 has hardened levels only, written with '";
  if (!/^[0-9]+'$/.test(level)) return "must be a number followed by '";
  const digits = level.slice(0, -1);
  if (digits.length > 1 && digits.startsWith('0')) return 'begins with a zero';
  const index = Number(digits);
  return index <= MAX_INDEX ? index : `is above ${MAX_INDEX}`;
}

function refused(reason: string): ParsedPath {
  return { kind: 'refused', reason };
}
