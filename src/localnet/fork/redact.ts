/** A part of an address that is shorter protects nothing. */
const SECRET_CHARACTERS = 6;
const MAX_CHARACTERS = 300;

/** Returns what a node said, cut to 300 characters, without any part of its address that may be a key. */
export function redact(url: URL, text: string): string {
  const parts = [url.username, url.password, ...url.pathname.split('/'), ...url.searchParams.values()];
  const secrets = parts
    .flatMap((part) => [part, decoded(part)])
    .filter(({ length }) => length >= SECRET_CHARACTERS)
    .toSorted((a, b) => b.length - a.length);
  const shown = secrets.reduce((left, secret) => left.replaceAll(secret, '[hidden]'), text);
  return shown.length > MAX_CHARACTERS ? `${shown.slice(0, MAX_CHARACTERS)}…` : shown;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
