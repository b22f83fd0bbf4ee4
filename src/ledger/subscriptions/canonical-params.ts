import { stringifyJson } from '../../rpc/json.ts';

const DEFAULT_COMMITMENT = 'finalized';

/**
 * Returns the JSON text of checked params such that equivalent calls have the same text: members are sorted; nulls, empty
 * configs and the commitment are omitted if it is the default or unknown to nodes, which ignore it. A node accepts it as it
 * would the client's own.
 */
export function canonicalParams(params: unknown): string {
  const items = Array.isArray(params) ? params.map(tidy) : [];
  while (items.length > 0 && isEmpty(items.at(-1))) items.pop();
  return stringifyJson(items);
}

/** Returns the commitment of a subscription: nodes default to `finalized` if it is absent or unknown. */
export function commitmentOf(params: readonly unknown[]): string {
  const config = params[1];
  const asked = typeof config === 'object' && config !== null ? (config as Config).commitment : undefined;
  return isOtherCommitment(asked) ? asked : DEFAULT_COMMITMENT;
}

function isOtherCommitment(value: unknown): value is string {
  return value === 'processed' || value === 'confirmed';
}

type Config = { readonly commitment?: unknown };

function tidy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(tidy);
  const members = Object.entries(value)
    .filter(([name, member]) => member !== null && (name !== 'commitment' || isOtherCommitment(member)))
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, tidy(member)]));
}

function isEmpty(item: unknown): boolean {
  if (item === null || item === undefined) return true;
  return typeof item === 'object' && !Array.isArray(item) && Object.keys(item).length === 0;
}
