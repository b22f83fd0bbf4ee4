type Modules = readonly (readonly boolean[])[];

const RUN = 3;
const BLOCK = 3;
const FINDER = 40;
const BALANCE = 10;

/** A finder, with four light modules beside it: what a reader could take for one. */
const FINDER_LIKE = ['10111010000', '00001011101'];

/** How hard a symbol is to read, ISO/IEC 18004:2015 clause 7.8.3.1; the mask with the least is used. */
export function penaltyOf(modules: Modules): number {
  const columns = modules.map((_, x) => modules.map((row) => row[x] === true));
  const lines = [...modules, ...columns].map((line) => line.map((isDark) => (isDark ? '1' : '0')).join(''));
  return (
    sum(lines.map((line) => runPenalty(line) + finderPenalty(line))) +
    blockPenalty(modules) +
    balancePenalty(modules)
  );
}

function runPenalty(line: string): number {
  return sum((line.match(/(.)\1{4,}/g) ?? []).map(({ length }) => RUN + length - 5));
}

/** The quiet zone around the symbol counts as light. */
function finderPenalty(line: string): number {
  const padded = `0000${line}0000`;
  let found = 0;
  for (let at = 0; at + 11 <= padded.length; at += 1)
    if (FINDER_LIKE.includes(padded.slice(at, at + 11))) found += 1;
  return found * FINDER;
}

function blockPenalty(modules: Modules): number {
  let blocks = 0;
  for (let y = 1; y < modules.length; y += 1)
    for (let x = 1; x < modules.length; x += 1) {
      const isDark = modules[y]?.[x];
      const others = [modules[y]?.[x - 1], modules[y - 1]?.[x], modules[y - 1]?.[x - 1]];
      if (others.every((other) => other === isDark)) blocks += 1;
    }
  return blocks * BLOCK;
}

function balancePenalty(modules: Modules): number {
  const total = modules.length ** 2;
  const dark = sum(modules.map((row) => row.filter(Boolean).length));
  return Math.max(0, Math.ceil(Math.abs(dark * 20 - total * 10) / total) - 1) * BALANCE;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
