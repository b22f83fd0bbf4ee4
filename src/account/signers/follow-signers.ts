import { readSigners } from './known-signers.ts';
import { keepInFile, type RecordDeps, TOMBSTONE_CHANNEL } from './publish-record.ts';
import { isGenuine, type TombstoneHead } from './tombstone-head.ts';
import type { KnownRecords } from './tombstone-heads-file.ts';

/**
 * Writes the state of other signers' records to this server's file of heads as they are announced: a store that knows less at the next
 * start has lost data. When notifications resume after a loss, the store's copy of the signer's own record is updated.
 */
export async function followSigners(
  deps: RecordDeps,
  { known, publish }: { readonly known: KnownRecords; readonly publish: () => Promise<void> },
): Promise<{ readonly close: () => Promise<void> }> {
  const { store, publicKey } = deps;
  const furthest = new Map([...known].map(([key, { count }]) => [key, count]));
  const isNews = (head: TombstoneHead): boolean =>
    Buffer.compare(head.publicKey, publicKey) !== 0 &&
    head.count > (furthest.get(hex(head.publicKey)) ?? 0) &&
    isGenuine(head);
  const keepOthers = async (): Promise<void> => {
    const news = (await readSigners(store)).filter(isNews);
    if (news.length > 0) await keepInFile(deps, news);
    for (const head of news) furthest.set(hex(head.publicKey), head.count);
  };
  if (store.listen === undefined) return { close: async () => undefined };
  return store.listen(TOMBSTONE_CHANNEL, {
    onConnected: async () => {
      await publish();
      await keepOthers();
    },
    onAnnouncement: keepOthers,
  });
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
