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
