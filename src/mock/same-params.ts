import { stringifyJson } from '../rpc/json.ts';

/** Returns the first example of a call with these params. */
export function withSameParams<E extends { readonly params: readonly unknown[] }>(
  examples: readonly E[],
  params: unknown,
): E | undefined {
  const wanted = printParams(params);
  return examples.find((example) => printParams(example.params) === wanted);
}

/** Prints params as text that is the same for the same call: members in order, without nulls, which have no meaning. */
function printParams(params: unknown): string {
  const given = Array.isArray(params) ? params.map(inOrder) : [];
  return stringifyJson(given.slice(0, given.findLastIndex((param) => param !== null) + 1));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members
      .map(([name, member]) => [name, inOrder(member)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}
