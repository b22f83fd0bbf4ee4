import { type Change, changed } from '../../fuzz/hostile-bodies.ts';
import type { Random } from '../../lab/random.ts';

const KINDS: readonly Change['kind'][] = ['cut', 'flip', 'insert', 'drop'];
/** Bytes that end or begin something in JSON, in UTF-8, in HTTP and in protobuf. */
const SPECIAL = [
  0, 0x08, 0x0a, 0x0d, 0x12, 0x1a, 0x20, 0x22, 0x2c, 0x3a, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d, 0x80, 0xc3, 0xff,
];
const PARTS = 1_000_000;

/** The bytes with one to three changes: cut off, other bytes, more or fewer of them. */
export function damaged(bytes: Buffer, random: Random): Buffer {
  let result = bytes;
  for (let left = 1 + random(3); left > 0; left -= 1) {
    const kind = pick(KINDS, random);
    const byte = random(2) === 0 ? random(256) : pick(SPECIAL, random);
    result = changed(result, { at: random(PARTS) / PARTS, kind, byte });
  }
  return result;
}

/** One of a list. @throws RangeError where it is empty. */
export function pick<T>(list: readonly T[], random: Random): T {
  const at = random(list.length);
  for (const item of list.slice(at, at + 1)) return item;
  throw new RangeError('there is nothing to pick from');
}

/** True in `percent` of a hundred cases. */
export function chance(percent: number, random: Random): boolean {
  return random(100) < percent;
}
