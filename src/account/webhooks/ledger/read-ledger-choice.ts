import { serviceError } from '../../../core/service-error.ts';
import type { ChosenLedger } from './choose-ledger.ts';
import type { LedgerChoice } from './ledger-choice.ts';
import type { LedgerCommitment } from '../../../store/webhook-tables.ts';
import { filterFault, type LedgerFilter } from './ledger-filter.ts';
import type { LedgerStarts } from './ledger-starts.ts';

/** A member's choice of ledger events, as sent. */
export type WrittenLedger = {
  readonly network?: string | undefined;
  readonly commitment?: LedgerCommitment | undefined;
  readonly filters: readonly LedgerFilter[];
};

/**
 * Reads a webhook's choice of ledger events, and the place where they begin.
 *
 * @param before the current choice.
 * @throws ServiceError `bodyInvalid` for a network that the server does not have, and for invalid values.
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
