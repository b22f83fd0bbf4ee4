import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** A parameter of a media range other than its weight, or an extension after that; the weight is the one called `q`. */
const OTHER_PARAMETER = /;[ \t]*(?!q[ \t]*=)[^;,="]*(?:=[ \t]*(?:"(?:[^"\\]|\\.)*"|[^;,"]*))?/gi;

/**
 * Returns the media type that Accept prefers (RFC 9110, section 12.5.1); undefined if it accepts none of them. Parameters of its ranges
 * do not count: no answer comes in several variants that differ by one. An empty Accept accepts everything.
 */
export function acceptedType(
  { accept = '' }: Pick<IncomingHttpHeaders, 'accept'>,
  types: readonly string[],
): string | undefined {
  const ranges = accept.replaceAll(OTHER_PARAMETER, '');
  const headers = /^[ \t,]*$/.test(ranges) ? {} : { accept: ranges };
  return new Negotiator({ headers }).mediaType([...types]);
}
