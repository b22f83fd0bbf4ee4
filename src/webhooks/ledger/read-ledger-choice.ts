import { serviceError } from '../../base/service-error.ts';
import type { ChosenLedger } from './choose-ledger.ts';
import type { LedgerChoice } from './ledger-choice.ts';
import type { LedgerCommitment } from './ledger-commitment.ts';
import { filterFault, type LedgerFilter } from './ledger-filter.ts';
import type { LedgerStarts } from './ledger-starts.ts';

/** What a member writes of the events of a ledger. */
export type WrittenLedger = {
  readonly network?: string | undefined;
  readonly commitment?: LedgerCommitment | undefined;
  readonly filters: readonly LedgerFilter[];
};

/**
 * Reads what a webhook is to get of a ledger, and where that begins.
 *
 * @param before what it gets now.
 * @throws ServiceError `bodyInvalid` for a network that the server does not have, and for values that are none.
 */
export async function readLedgerChoice(
  starts: LedgerStarts,
  { network: named, commitment = 'confirmed', filters }: WrittenLedger,
  before: ChosenLedger | null,
): Promise<LedgerChoice> {
  const network = named ?? before?.network ?? starts.networks[0] ?? '';
  const errors = [
    ...(starts.networks.includes(network)
      ? []
      : [{ pointer: '/ledger/network', detail: `must be one of ${starts.networks.join(', ')}` }]),
    ...filters.flatMap((filter, index) => {
      const detail = filterFault(filter);
      return detail === undefined ? [] : [{ pointer: `/ledger/filters/${index}/value`, detail }];
    }),
  ];
  if (errors.length > 0) throw serviceError('bodyInvalid', { errors });
  const seen = new Set<string>();
  const different = filters.filter(({ kind, value }) => {
    const isNew = !seen.has(`${kind}:${value}`);
    seen.add(`${kind}:${value}`);
    return isNew;
  });
  const start = different.length === 0 ? undefined : await starts.startOf(network, commitment);
  return { network, commitment, filters: different, start };
}
