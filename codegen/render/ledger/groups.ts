import type { Files } from '../../area.ts';
import type { LedgerModel } from '../../model/ledger.ts';
import { METHOD_GROUPS } from '../../model/method.ts';
import { HEADER, literal } from '../../text.ts';

/** ledger/groups.ts: the groups of calls that an API key may be limited to. */
export const renderGroups = ({ methods, subscriptions }: LedgerModel): Files => ({
  'ledger/groups.ts': `${HEADER}
/** The calls of each group that an API key may be limited to: x-group of the methods, and all calls of subscriptions. */
export const METHOD_GROUPS = ${literal({
    ...Object.fromEntries(
      METHOD_GROUPS.map((group) => [
        group,
        methods.filter((method) => method.group === group).map(({ name }) => name),
      ]),
    ),
    subscribe: subscriptions.flatMap(({ name, unsubscribe }) => [name, unsubscribe]),
  })} as const;

export type MethodGroup = keyof typeof METHOD_GROUPS;
`,
});
