import { parseJson } from '../../rpc/json.ts';
import { scanItems } from '../../rpc/scan-json.ts';
import { membersOf } from '../../upstream/pubsub-message.ts';
import { type AskedNode, readNode } from './node-reads.ts';
import { contextSlot } from './read-notice.ts';
import type { SharedSubscription } from './shared-subscription.ts';
import { asNotified, isSameAccount } from './notified-account.ts';

/**
 * Sends the state of a program's accounts that transactions of the missed blocks could write, and the gap before it, to
 * `newestSlot` at least: states in between are lost.
 */
export async function refillProgram(
  shared: SharedSubscription,
  node: AskedNode,
  newestSlot: number,
): Promise<void> {
  const [program, config] = shared.params;
  const asked = { ...(config as object | undefined), commitment: shared.commitment, withContext: true };
  const answer = await readNode(node, 'getProgramAccounts', [program, asked]);
  const slot = contextSlot(parseJson(answer.toString()));
  const value = membersOf(answer).get('value');
  if (slot === undefined || value === undefined) throw new Error('the node gave no accounts');
  const changed = new Set([...shared.catchUp.written, ...heldAccounts(shared, slot)]);
  const known = new Map([...shared.latest].map(([pubkey, result]) => [pubkey, accountOf(result)]));
  shared.tellGap({ fromSlot: shared.missingFrom ?? 0, toSlot: Math.max(slot, newestSlot) });
  for (const { start, end } of scanItems(value) ?? []) {
    const item = membersOf(value.subarray(start, end));
    const [pubkey, read] = [String(parseJson(String(item.get('pubkey')))), item.get('account')];
    if (read === undefined || !changed.has(pubkey) || slot < shared.lastSlot) continue;
    const [account, last] = [asNotified(read), known.get(pubkey)];
    if (last !== undefined && isSameAccount(account, last)) continue;
    const text = `{"context":{"slot":${slot}},"value":{"pubkey":"${pubkey}","account":${account}}}`;
    shared.notify(Buffer.from(text));
  }
  shared.resume(slot);
}

/** The accounts with held results that the state of this slot already includes. */
function heldAccounts(shared: SharedSubscription, slot: number): readonly string[] {
  const notices = shared.held.map((result) => shared.read(result)).filter((notice) => notice !== undefined);
  return notices.filter((notice) => (notice.slot ?? 0) <= slot).map(({ subject }) => subject);
}

function accountOf(result: Buffer): string | undefined {
  return membersOf(membersOf(result).get('value') ?? result)
    .get('account')
    ?.toString();
}
