const EXACT = new Intl.DateTimeFormat('en', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** An instant in the time zone of the reader; the tooltip has it in UTC. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className="number">
      {EXACT.format(new Date(at))}
    </time>
  );
}
