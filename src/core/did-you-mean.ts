/** Returns the end of an error message, with the known name that a mistyped one most likely means; undefined if none is close. */
export function didYouMean(typed: string, known: readonly string[]): string | undefined {
  const meant = closestName(typed, known);
  return meant === undefined ? undefined : `; did you mean ${meant}?`;
}

/** Returns the known name that a mistyped one most likely means; undefined if none is close. */
export function closestName(typed: string, known: readonly string[]): string | undefined {
  const maxDistance = Math.max(1, Math.floor(typed.length / 3));
  const [closest] = known
    .map((name) => ({ name, distance: editDistance(typed, name) }))
    .sort((a, b) => a.distance - b.distance);
  if (closest !== undefined && closest.distance <= maxDistance) return closest.name;
  const longer = known.filter((name) => typed.length > 1 && name.startsWith(typed));
  return longer.length === 1 ? longer[0] : undefined;
}

/** Returns the number of characters to insert, delete, replace or swap with the next to turn one text into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [beforeLast, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
