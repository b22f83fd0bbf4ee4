/** A node, and what it is used for. */
export type RoledNode = { readonly name: string; readonly roles: readonly string[] };

/**
 * The nodes that must be sound in a turn, so that there is always one that could answer: of each role one, the next one in the next turn.
 *
 * @returns their names.
 */
export function soundNodes(nodes: readonly RoledNode[], turn: number): ReadonlySet<string> {
  const roles = new Set(nodes.flatMap(({ roles: own }) => own));
  return new Set(
    [...roles].flatMap((role) => {
      const able = nodes.filter(({ roles: own }) => own.includes(role));
      return able
        .slice(turn % able.length)
        .slice(0, 1)
        .map(({ name }) => name);
    }),
  );
}
