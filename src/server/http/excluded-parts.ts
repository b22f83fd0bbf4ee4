import { serviceError } from '../../base/service-error.ts';
import { queryOf } from './target.ts';

/** The parts that decide if a server is ready. */
export const READINESS_PARTS = ['store', 'signer', 'networks'] as const;

export type ReadinessPart = (typeof READINESS_PARTS)[number];

/** The parts that do not count for one request. */
export type ExcludedParts = ReadonlySet<ReadinessPart>;

/**
 * Reads the parameters `exclude` of a request to `/readyz` (spec/README.md); other parameters are ignored.
 *
 * @throws ServiceError `readinessPartUnknown`.
 */
export function readExcludedParts(target: string): ExcludedParts {
  return new Set(new URLSearchParams(queryOf(target)).getAll('exclude').map(readPart));
}

function readPart(name: string): ReadinessPart {
  const part = READINESS_PARTS.find((known) => known === name);
  if (part !== undefined) return part;
  throw serviceError('readinessPartUnknown', {
    name,
    known: READINESS_PARTS.join(', '),
  });
}
