import { stringifyJson } from '../core/rpc/json.ts';
import { byName } from './encode/by-name.ts';

const TEXTS = new WeakMap<object, string>();

/** Attaches its JSON text to a result that is returned repeatedly, so that a long one is not printed each time. */
export function withText<T extends object>(result: T, json: string): T {
  TEXTS.set(result, json);
  return result;
}

/** Prints a result as JSON text, its members in the order in which nodes write them. */
export function printResult(result: unknown): string {
  const known = typeof result === 'object' && result !== null ? TEXTS.get(result) : undefined;
  return known ?? stringifyJson(byName(result));
}
