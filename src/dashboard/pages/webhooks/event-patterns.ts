import { EVENT_TYPES } from '../../../../generated/account/events.ts';

/** Groups of types of events, by the pattern that takes all of a group, with how many those are. */
export const EVENT_GROUPS: readonly { readonly pattern: string; readonly count: number }[] = [
  ...new Set(EVENT_TYPES.map((type) => `${type.slice(0, type.indexOf('.'))}.*`)),
]
  // A test event is sent whatever is chosen.
  .filter((pattern) => pattern !== 'webhook.*')
  .map((pattern) => ({ pattern, count: EVENT_TYPES.filter((type) => fits(type, pattern)).length }));

/** Returns the first of these patterns that no type of event fits. */
export function findStrangePattern(patterns: readonly string[]): string | undefined {
  return patterns.find((pattern) => !EVENT_TYPES.some((type) => fits(type, pattern)));
}

function fits(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
}
