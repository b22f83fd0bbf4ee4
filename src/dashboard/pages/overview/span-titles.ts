import type { CallSpan } from '../../../../generated/account/types.ts';

/** What the spans of calls are called, after the word Last. */
export const SPAN_TITLES: Readonly<Record<CallSpan, string>> = {
  hour: 'hour',
  day: '24 hours',
  month: '30 days',
};
