import type { ListPosition } from '../core/read-page.ts';

/** A page of a list in descending order: at most `limit` entries after a position. */
export type PageQuery = {
  /** Only entries of this instant and later ones. */
  readonly since?: Date | undefined;
  /** Only entries before this instant. */
  readonly until?: Date | undefined;
  readonly after?: ListPosition | undefined;
  /** 1 to `MAX_LIMIT`. */
  readonly limit: number;
};

/** Maximum number of entries in a page. */
export const MAX_LIMIT = 1_000;
/** Number of entries if a page does not specify one. */
export const DEFAULT_LIMIT = 100;

/** The bounds of a page for statements. `limit` is one more than the page has, to detect a next page. */
export type PageBounds = {
  readonly since: string;
  readonly until: string;
  /** The page begins after this position. */
  readonly beforeAt: string;
  readonly beforeId: string;
  readonly limit: number;
};

/** The largest `bigint` of PostgreSQL. */
const MAX_ID = String(2n ** 63n - 1n);

/**
 * Returns the bounds of a page. In a list by time `until` is a position too, before entry 0 of its instant: with a separate bound
 * PostgreSQL would read everything between the two.
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
