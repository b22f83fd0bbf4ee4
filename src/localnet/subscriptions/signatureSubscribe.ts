import { commitmentOf } from '../blocks/commitment.ts';
import type { LocalnetSubscription } from './subscription.ts';

/** A transaction is received at the moment it lands; one that does not land is never reported. */
export const signatureSubscribe: LocalnetSubscription<'signatureSubscribe'> = (
  _ledger,
  signature,
  config,
) => {
  const commitment = commitmentOf(config);
  const isReceiptWanted = config?.enableReceivedNotification === true;
  return {
    key: [signature, commitment, isReceiptWanted],
    watch: {
      kind: 'signature',
      signature,
      commitment,
      notifyReceipt: isReceiptWanted
        ? (slot) => ({ context: { slot }, value: 'receivedSignature' })
        : undefined,
      notify: (err, slot) => ({ context: { slot }, value: { err } }),
    },
  };
};
