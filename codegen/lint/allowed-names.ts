/** Longer lists are cut to the names that are closest to the word. */
const MOST_NAMES = 24;
const CLOSEST = 6;

/**
 * The end of a message about an unknown name: ` (did you mean wallets:read?): allowed are wallets:create, wallets:read`. It has a guess if
 * one of the names is close to the word. For more than 24 names it lists the 6 closest, and the number of the others.
 */
export const allowedNames = (word: string, names: Iterable<string>): string => {
  const all = [...new Set(names)];
  if (all.length === 0) return ': none is allowed here';
  const closest = byDistance(word, all);
  const [best] = closest;
  const guess = best && best.distance <= Math.max(1, word.length / 3) ? ` (did you mean ${best.name}?)` : '';
  if (all.length <= MOST_NAMES) return `${guess}: allowed are ${all.join(', ')}`;
  const first = closest.slice(0, CLOSEST).map(({ name }) => name);
  return `${guess}: allowed are ${first.join(', ')} and ${all.length - CLOSEST} more`;
};

const byDistance = (word: string, names: readonly string[]) =>
  names
    .map((name) => ({ name, distance: editDistance(word.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);

/** Levenshtein distance: characters to insert, delete or replace. */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
};
