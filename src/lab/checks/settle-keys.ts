import { eventually } from '../../base/eventually.ts';
import type { ClientDeps } from '../clients/client-deps.ts';
import type { KeyBook } from '../clients/keys/key-book.ts';
import { knownFromMs, tryKey } from '../clients/keys/try-key.ts';
import type { LabGateway } from '../gateways/lab-gateway.ts';

/** Uses every key of the run at every gateway: those that live work, and those that were ended are refused. */
export async function settleKeys(
  deps: Pick<ClientDeps, 'findings' | 'timeline' | 'readMs'> & { readonly gateways: readonly LabGateway[] },
  books: readonly KeyBook[],
): Promise<void> {
  for (const { living, ended, unanswered } of books) {
    const changes = [...living.values(), ...ended.values()].map(({ sinceMs, endedMs = sinceMs }) => endedMs);
    const lastMs = Math.max(0, ...changes);
    for (const gateway of deps.gateways)
      await eventually(`${gateway.name} knows every key`, () => knowsAll(gateway, lastMs));
    for (const what of unanswered) deps.findings.break('lost_key', `${what} was never answered`);
    for (const key of [...living.values(), ...ended.values()])
      for (const gateway of deps.gateways) await tryKey(deps, gateway, key);
  }
}

function knowsAll(gateway: LabGateway, changedMs: number): true | undefined {
  return performance.now() > (knownFromMs(gateway, changedMs) ?? Number.POSITIVE_INFINITY) || undefined;
}
