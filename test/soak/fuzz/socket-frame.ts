import { randomBytes } from 'node:crypto';
import type { Random } from '../../lab/random.ts';
import { chance, damaged, pick } from './damage.ts';

// Frames of RFC 6455, section 5.2, as a client writes them and as it must not.

const TEXT = 1;
const OPCODES = [0, 1, 2, 3, 7, 8, 9, 10, 11, 15];

type FrameOptions = {
  readonly opcode?: number;
  /** The last of its message. */
  readonly isLast?: boolean;
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** The length that the frame claims, where it is false. */
  readonly saidBytes?: number;
};

/** A frame. */
export function frameOf(payload: Buffer, options: FrameOptions = {}): Buffer {
  const { opcode = TEXT, isLast = true, reserved = 0, isMasked = true, saidBytes = payload.length } = options;
  const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode;
  const length = lengthOf(saidBytes);
  length[0] = (length[0] ?? 0) | (isMasked ? 0x80 : 0);
  if (!isMasked) return Buffer.concat([Buffer.of(first), length, payload]);
  const mask = randomBytes(4);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Buffer.concat([Buffer.of(first), length, mask, masked]);
}

function lengthOf(bytes: number): Buffer {
  if (bytes < 126) return Buffer.of(bytes);
  if (bytes < 65_536) return Buffer.of(126, bytes >> 8, bytes & 0xff);
  const long = Buffer.alloc(9, 127);
  long.writeBigUInt64BE(BigInt(bytes), 1);
  return long;
}

/** A frame that a client must not send, or that is damaged, or that is odd and allowed. */
export function oddFrame(payload: Buffer, random: Random): Buffer {
  if (chance(30, random)) return damaged(frameOf(payload), random);
  if (chance(20, random))
    return Buffer.concat([frameOf(payload, { isLast: false }), frameOf(payload, { opcode: 0 })]);
  return frameOf(payload, {
    opcode: pick(OPCODES, random),
    isLast: chance(80, random),
    isMasked: chance(90, random),
    reserved: chance(20, random) ? random(8) : 0,
    ...(chance(20, random)
      ? { saidBytes: pick([0, 125, 126, 65_535, 65_536, 2 ** 31, 2 ** 52], random) }
      : {}),
  });
}
