/** True if an Accept-Encoding header accepts gzip (RFC 9110, section 12.5.3); by a wildcard too, not with a weight of 0. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  const codings = new Map(
    String(header ?? '')
      .split(',')
      .map(readCoding),
  );
  return (codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? 0) > 0;
}

function readCoding(text: string): readonly [string, number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=/, '');
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
