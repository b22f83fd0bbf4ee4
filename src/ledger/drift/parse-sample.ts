import type { OwnBytes } from './sample-room.ts';

/**
 * A block of 16 MiB has about a million values. This many of the smallest ones take 300 MB at most; a message with more would
 * end the process, which no limit of a thread prevents.
 */
const MAX_VALUES = 1_500_000;

const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Parses a message for its names and structure: its numbers need not be exact. @throws Error if it is not JSON, or has too many
 * values.
 */
export function parseSample(parts: readonly OwnBytes[]): unknown {
  const bytes = Buffer.concat(parts);
  if (!hasAtMost(bytes, MAX_VALUES)) throw new Error('the message has too many values');
  return JSON.parse(bytes.toString());
}

/** Every value but the first follows a comma or an opening bracket; those in strings are counted too. */
function hasAtMost(bytes: Uint8Array, limit: number): boolean {
  let count = 1;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === COMMA || byte === OPEN_BRACKET || byte === OPEN_BRACE) count += 1;
  }
  return count <= limit;
}
