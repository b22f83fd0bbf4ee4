import { isDestroyedChild, rangeOf, takeTree } from '../clients/wallets/tree-steps.ts';
import type { WalletBook } from '../clients/wallets/wallet-book.ts';
import type { GatewayProcess } from '../gateways/gateway-process.ts';
import type { Timeline } from '../report/timeline.ts';
import { eachAtOnce } from './each-at-once.ts';
import type { Findings } from './findings.ts';
import { askWell } from './settle-wallets.ts';

type SettlingDeps = { readonly findings: Findings; readonly timeline: Timeline };

/** Derives every known child again, at the gateways in turn. It must be the same, or be refused if it was destroyed. */
export async function settleTrees(
  deps: SettlingDeps,
  books: readonly WalletBook[],
  gateways: readonly GatewayProcess[],
): Promise<void> {
  let turn = 0;
  for (const book of books)
    for (const { master, children } of book.trees.values())
      await eachAtOnce(children, async ([path, { id }]) => {
        const gateway = gateways[turn++ % gateways.length];
        if (gateway === undefined) return;
        const range = rangeOf(path);
        const request = {
          method: 'POST',
          path: '/hd',
          body: { master_wallet_id: master.id, ...range },
        } as const;
        const answer = await askWell(gateway, book, request);
        if (book.destroyed.has(id)) {
          deps.findings.check('destroyed_signs');
          if (!isDestroyedChild(answer))
            deps.findings.break(
              'destroyed_signs',
              `${path} of ${master.id} was destroyed, and ${gateway.name} answers ${answer.status} to derive it`,
            );
        } else if (answer.status === 200) takeTree(deps, book, { range, body: answer.body });
        else
          deps.findings.break(
            'changed_child',
            `${path} of ${master.id}: ${gateway.name} answers ${answer.status}`,
          );
      });
}
