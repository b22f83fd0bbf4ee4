import { SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import { commitmentOf } from '../blocks/commitment.ts';
import type { Account } from '../model.ts';
import { notifiedAccount, sliceOf } from './notified-account.ts';
import type { LocalnetSubscription } from './subscription.ts';

/** The node's form of an account that was closed. */
const CLOSED: Account = {
  lamports: 0n,
  data: new Uint8Array(0),
  owner: SYSTEM_PROGRAM,
  executable: false,
  rentEpoch: 2n ** 64n - 1n,
};

/** minContextSlot has no effect, as nothing is read. */
export const accountSubscribe: LocalnetSubscription<'accountSubscribe'> = (ledger, address, config) => {
  const commitment = commitmentOf(config);
  const encoding = config?.encoding ?? 'binary';
  const dataSlice = sliceOf(config);
  return {
    key: [address, encoding, commitment, dataSlice],
    watch: {
      kind: 'account',
      address,
      commitment,
      notify: (account, slot) => ({
        context: { slot },
        value: notifiedAccount(
          ledger,
          { address, account: account ?? CLOSED },
          { slot, encoding, dataSlice },
        ),
      }),
    },
  };
};
