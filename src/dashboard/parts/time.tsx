import { printSecond, printTime } from './calendar.ts';

/** An instant in the time zone of the reader, with its second if it is exact; the tooltip has it in UTC. */
export function Time({ at, isExact = false }: { readonly at: string; readonly isExact?: boolean }) {
  return (
    <time dateTime={at} title={at} className="number">
      {isExact ? printSecond(at) : printTime(at)}
    </time>
  );
}
