import type { Findings } from './findings.ts';

/** How often each node took each transaction, by its bytes. */
export type TakenSends = readonly { readonly name: string; readonly taken: ReadonlyMap<string, number> }[];

/** Holds what nodes took against the configuration: each node at most once, and no more nodes than `sendTo`. */
export function judgeSends(nodes: TakenSends, sendTo: number, findings: Findings): void {
  const takers = new Map<string, number>();
  for (const { name, taken } of nodes)
    for (const [wire, times] of taken) {
      takers.set(wire, (takers.get(wire) ?? 0) + 1);
      if (times > 1) findings.break('duplicate_send', `${name} took a transaction ${times} times`);
    }
  findings.check('duplicate_send', takers.size);
  for (const count of takers.values())
    if (count > sendTo)
      findings.break(
        'duplicate_send',
        `${count} nodes took a transaction, and upstream.send_to is ${sendTo}`,
      );
}
