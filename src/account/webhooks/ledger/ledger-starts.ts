import { type ServiceError, toServiceError } from '../../../core/service-error.ts';
import type { LedgerCommitment } from '../../../store/webhook-tables.ts';
import { type LedgerPlace, type LedgerSource, newestPlace } from './ledger-source.ts';

/** The places where ledger events begin for a new webhook. */
export type LedgerStarts = {
  /** The names of the networks, the first one of the server first. */
  readonly networks: readonly string[];
  /** Returns the newest place of a network; undefined when its ledger cannot be reached, which the webhook gets as a gap. */
  readonly startOf: (network: string, commitment: LedgerCommitment) => Promise<LedgerPlace | undefined>;
};

/** @param onFailure called when a ledger cannot be reached. */
export function createLedgerStarts(
  sources: readonly LedgerSource[],
  onFailure: (network: string, error: ServiceError) => void,
): LedgerStarts {
  return {
    networks: sources.map(({ network }) => network),
    startOf: async (network, commitment) => {
      const source = sources.find((each) => each.network === network);
      try {
        return source && (await newestPlace(source, commitment));
      } catch (error) {
        onFailure(network, toServiceError(error));
        return undefined;
      }
    },
  };
}
