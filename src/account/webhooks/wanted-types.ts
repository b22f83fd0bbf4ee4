import { EVENT_TYPES } from '../../../generated/account/events.ts';

/** The ending of a pattern that stands for every type with the same beginning: `wallet.*`. */
const ANY = '*';

/** True for an event of one of these types. A pattern that ends with `*` stands for every type with its beginning; no pattern: every type. */
export function isWanted(patterns: readonly string[], type: string): boolean {
  return patterns.length === 0 || patterns.some((pattern) => fits(pattern, type));
}

function fits(pattern: string, type: string): boolean {
  return pattern.endsWith(ANY) ? type.startsWith(pattern.slice(0, -ANY.length)) : pattern === type;
}

/** True for a pattern that matches some event. */
export function isEventPattern(pattern: string): boolean {
  return EVENT_TYPES.some((type) => fits(pattern, type));
}
