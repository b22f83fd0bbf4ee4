import { type ConfigProblem, validateConfig } from '../../generated/config-validator.js';
import { crossCheck } from './cross-check.ts';

/**
 * Returns the conflicts between the settings that fit, where others do not fit: those are left out, and so are conflicts that name
 * them. Nothing if what is left is no configuration.
 */
export function conflictsBeside(problems: readonly ConfigProblem[], value: unknown): readonly string[] {
  const rest: unknown = structuredClone(value);
  const left = problems.map(({ instancePath, params: { additionalProperty } }) => {
    const path = instancePath.split('/').slice(1);
    return additionalProperty === undefined ? path : [...path, String(additionalProperty)];
  });
  for (const path of left) removeAt(rest, path);
  if (!validateConfig(rest)) return [];
  // Networks are known by their place in the list, and compared with each other.
  const names = left.map(([first = '', ...others]) =>
    first === 'networks' ? first : [first, ...others].join('.'),
  );
  return crossCheck(rest).filter((conflict) => !names.some((name) => conflict.includes(name)));
}

function removeAt(root: unknown, path: readonly string[]): void {
  let node = root;
  for (const key of path.slice(0, -1)) node = (node as Readonly<Record<string, unknown>> | undefined)?.[key];
  const last = path.at(-1);
  if (typeof node === 'object' && node !== null && last !== undefined) Reflect.deleteProperty(node, last);
}
