import type { Accounts } from '../gateways/open-accounts.ts';
import type { GatewayProcess } from '../gateways/gateway-process.ts';
import { judgeChains, judgeRecords, readAudit } from './judge-audit.ts';
import { judgeCharges } from './judge-charges.ts';
import { settleKeys } from './settle-keys.ts';
import { settleTrees } from './settle-trees.ts';
import { readStanding, settleWallets } from './settle-wallets.ts';
import { settleWebhooks } from './settle-webhooks.ts';
import type { ClientDeps } from '../clients/client-deps.ts';

type SettlingDeps = Pick<ClientDeps, 'findings' | 'timeline' | 'readMs' | 'random'> & {
  /** The time of day, of which the codes of second factors follow. */
  readonly nowMs: () => number;
  readonly gateways: readonly GatewayProcess[];
};

/** Holds wallets, keys, charges, audit log and webhooks, at gateways that are well again, against what clients were told. */
export async function settleRun(
  deps: SettlingDeps,
  { wallets, trees, keys, webhooks }: Accounts,
): Promise<void> {
  const { gateways, findings } = deps;
  const books = [...wallets, ...trees];
  await settleWallets(deps, books);
  await settleTrees(deps, trees, gateways);
  await settleKeys(deps, keys);
  const [first] = gateways;
  if (first === undefined || webhooks.length === 0) return;
  for (const book of books) {
    judgeCharges(book, await readStanding(book, first), findings);
    judgeRecords(book, await readAudit(first, book.account), findings);
  }
  await judgeChains(gateways, findings);
  await settleWebhooks(webhooks, first, findings);
}
