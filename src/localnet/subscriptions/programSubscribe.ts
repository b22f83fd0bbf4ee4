import type { AccountFilter } from '../../../generated/ledger/types.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';
import { assertFilter } from '../accounts/memcmp-filter.ts';
import { commitmentOf } from '../blocks/commitment.ts';
import { encodeBase64 } from '../bytes/base58.ts';
import { compileFilter, decodeMemcmp } from '../encode/account-filter.ts';
import { notifiedAccount, sliceOf } from './notified-account.ts';
import type { LocalnetSubscription } from './subscription.ts';

/**
 * An account that leaves the program, or is closed, is not reported. For a token program jsonParsed shows only accounts that can be parsed.
 */
export const programSubscribe: LocalnetSubscription<'programSubscribe'> = (ledger, program, config) => {
  const filters = config?.filters ?? [];
  filters.forEach(assertFilter);
  const matches = filters.map(compileFilter);
  const commitment = commitmentOf(config);
  const encoding = config?.encoding ?? 'binary';
  const dataSlice = sliceOf(config);
  const isOnlyParsed = encoding === 'jsonParsed' && isTokenProgram(program);
  return {
    key: [program, encoding, commitment, filters.map(meaningOf), dataSlice],
    watch: {
      kind: 'program',
      program,
      commitment,
      notify: (changed, slot) => {
        if (!matches.every((match) => match(changed.account.data))) return undefined;
        const account = notifiedAccount(ledger, changed, { slot, encoding, dataSlice });
        if (isOnlyParsed && Array.isArray(account.data)) return undefined;
        return { context: { slot }, value: { pubkey: changed.address, account } };
      },
    },
  };
};

/** Returns a filter without parts that have no effect, however its bytes were written. */
function meaningOf(filter: AccountFilter): unknown {
  if (typeof filter === 'string') return filter;
  if ('dataSize' in filter) return { dataSize: filter.dataSize };
  return { offset: filter.memcmp.offset, bytes: encodeBase64(decodeMemcmp(filter.memcmp)) };
}
