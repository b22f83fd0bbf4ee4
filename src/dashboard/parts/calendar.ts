const MONTH = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'long', timeZone: 'UTC' });
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** Prints a month of UTC, such as `2026-01`, as January 2026. */
export function formatMonth(month: string): string {
  return MONTH.format(new Date(`${month}-01T00:00:00Z`));
}

/** Prints a day of UTC, such as `2026-01-15`, or that of an instant, as Jan 15, 2026. */
export function formatDay(day: string): string {
  return DAY.format(new Date(day));
}

/** Returns the day of UTC of an instant, such as `2026-01-15`. */
export function dayOf(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 10);
}

const SECOND = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Prints an instant of the last days with its second, in the time zone of the reader. */
export function printSecond(at: string): string {
  return SECOND.format(new Date(at));
}

const EXACT = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Prints an instant in the time zone of the reader. */
export function printTime(at: string): string {
  return EXACT.format(new Date(at));
}

/** Returns the instant of a block, RFC 3339. */
export function instantOf(unixSeconds: bigint): string {
  return new Date(Number(unixSeconds) * 1_000).toISOString();
}
