import { JoinedItems } from './join-items.ts';
import type { Answer } from './answer-envelope.ts';

const CLOSE = Buffer.from(']\n');

/**
 * Returns the body that answers a batch, in unjoined parts; none if there is nothing to answer (an empty batch, or
 * notifications only).
 */
export function joinReplies(answers: readonly Answer[]): readonly Buffer[] {
  const replies = new JoinedItems();
  for (const parts of answers) if (parts !== undefined) replies.addParts(trimEnd(parts));
  return replies.close(CLOSE);
}

function trimEnd(parts: readonly Buffer[]): readonly Buffer[] {
  const end = parts[parts.length - 1];
  if (end !== undefined && (end[end.length - 1] ?? 0) > 0x20) return parts;
  const last = parts.findLastIndex((part) => part.some((byte) => byte > 0x20));
  const part = parts[last];
  return part === undefined ? [] : [...parts.slice(0, last), trimPart(part)];
}

function trimPart(part: Buffer): Buffer {
  let end = part.length;
  while (end > 0 && (part[end - 1] ?? 0) <= 0x20) end--;
  return part.subarray(0, end);
}
