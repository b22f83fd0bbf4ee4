import { printTime } from './calendar.ts';

/** An instant in the time zone of the reader; the tooltip has it in UTC. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className="number">
      {printTime(at)}
    </time>
  );
}
