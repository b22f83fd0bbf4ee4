import type { Json } from '../json.ts';

/** A value of each JSON type, by its name. */
export const JSON_VALUES: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['a boolean', true],
  ['an integer', 7],
  ['a fraction', 1.5],
  ['a string', 'x'],
  ['an array', []],
  ['an object', {}],
];
