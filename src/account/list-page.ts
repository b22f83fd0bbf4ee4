import type { ListPosition } from '../base/list-cursor.ts';

/** A page of a list that is in descending order: at most `limit` entries behind a position. */
export type PageQuery = {
  /** Only entries of this instant and later ones. */
  readonly since?: Date | undefined;
  /** Only entries before this instant. */
  readonly until?: Date | undefined;
  readonly after?: ListPosition | undefined;
  /** 1 to `MAX_LIMIT`. */
  readonly limit: number;
};

/** The most entries of a page. */
export const MAX_LIMIT = 1_000;
/** Those of a page that asks for no number. */
export const DEFAULT_LIMIT = 100;

/** The bounds of a page as statements take them. One entry more than the page has tells if there is a next one. */
export type PageBounds = {
  readonly since: string;
  readonly until: string;
  /** The page is behind this position. */
  readonly beforeAt: string;
  readonly beforeId: string;
  readonly limit: number;
};

/** The largest `bigint` of PostgreSQL. */
const MAX_ID = String(2n ** 63n - 1n);

/**
 * Returns the bounds of a page. In a list by time `until` is a position too, in front of the entry 0 of its instant: with a bound beside the
 * position PostgreSQL would read what lies between the two.
 */
export function pageBounds({ since, until, after, limit }: PageQuery, isByTime: boolean): PageBounds {
  const isUntilFirst = isByTime && until !== undefined && (after === undefined || after.at >= until);
  const before = isUntilFirst ? { at: until, id: '0' } : after;
  return {
    since: since?.toISOString() ?? '-infinity',
    until: until?.toISOString() ?? 'infinity',
    beforeAt: before?.at.toISOString() ?? 'infinity',
    beforeId: before?.id ?? MAX_ID,
    limit: limit + 1,
  };
}

/** True for a query between instants. */
export function isTimed({ since, until }: Pick<PageQuery, 'since' | 'until'>): boolean {
  return since !== undefined || until !== undefined;
}
