/** Returns the UTC month of an instant, such as `2025-01`. */
export function utcMonth(nowMs: number): string {
  return new Date(nowMs).toISOString().slice(0, 7);
}

/** Returns the instant at which a month such as `2025-01` begins. */
export function monthStartMs(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`);
}

/** Returns the month this many months after another one; before it, if the number is negative. */
export function monthsLater(month: string, count: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return utcMonth(Date.UTC(year, number - 1 + count));
}
