import { toServiceError } from '../base/service-error.ts';
import { nameOf, type NodeTurns, type Stay, type TurnNode } from './node-turns.ts';

export type ReachOptions<Each extends TurnNode, Reached> = {
  /** Returns the current nodes. */
  readonly nodes: () => readonly Each[];
  readonly turns: NodeTurns;
  /** Connects to a node. Rejects soon after its signal is aborted. */
  readonly reach: (node: Each, signal: AbortSignal) => Promise<Reached>;
  /** Gives up a connection that came when another node had been reached. */
  readonly release: (reached: Reached) => void;
  /** Called for each node that could not be reached. */
  readonly onFailure: (error: unknown) => void;
};

export const NOT_REACHED: Stay = { toldSlots: false, served: false };
/** A node is reached in five round trips. After so long the next one is tried, too. */
const HURRY_MS = 500;
/** While none is due, it is looked this often whether there is another. */
export const LOOK_MS = 100;
const LEAST_LOOK_MS = 10;

/**
 * Connects to the best node that can be reached: the next one is tried when one fails, and also where one takes long. The first
 * that is reached counts, and the others are given up.
 *
 * @returns undefined if `signal` was aborted before one was reached.
 */
export async function reachNode<Each extends TurnNode, Reached>(
  { nodes, turns, reach, release, onFailure }: ReachOptions<Each, Reached>,
  signal: AbortSignal,
): Promise<{ readonly node: Each; readonly reached: Reached } | undefined> {
  const beaten = new AbortController();
  const over = AbortSignal.any([signal, beaten.signal]);
  const trying = new Set<string>();
  let first: { readonly node: Each; readonly reached: Reached } | undefined;
  let wake = (): void => undefined;
  const stop = (): void => wake();
  signal.addEventListener('abort', stop);
  const begin = (node: Each): void => {
    trying.add(nameOf(node));
    reach(node, over)
      .then(
        (reached) => {
          if (over.aborted || first !== undefined) release(reached);
          else first = { node, reached };
        },
        (error: unknown) => {
          if (over.aborted) return;
          onFailure(toServiceError(error));
          turns.lose(node, NOT_REACHED);
        },
      )
      .finally(() => {
        trying.delete(nameOf(node));
        wake();
      });
  };
  while (!signal.aborted && first === undefined) {
    const node = turns.next(nodes(), trying);
    if (node !== undefined) begin(node);
    const free = nodes().filter((each) => !trying.has(nameOf(each)));
    const lookMs = Math.min(Math.max(turns.waitMs(free), LEAST_LOOK_MS), LOOK_MS);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, node === undefined ? lookMs : HURRY_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  signal.removeEventListener('abort', stop);
  beaten.abort();
  return first;
}
