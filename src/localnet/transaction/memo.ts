import type { Message } from '../../core/wire/message.ts';
import { MEMO_V1_PROGRAM, MEMO_V3_PROGRAM, MEMO_V4_PROGRAM } from '../addresses/program-ids.ts';

const MEMO_PROGRAMS: ReadonlySet<string> = new Set([MEMO_V1_PROGRAM, MEMO_V3_PROGRAM, MEMO_V4_PROGRAM]);
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the memos of a transaction, each as `[bytes] text`, joined by `; `; null without memos. */
export function memoText(message: Message): string | null {
  const memos = message.instructions
    .filter(({ programIdIndex }) => MEMO_PROGRAMS.has(message.staticKeys[programIdIndex] ?? ''))
    .map(({ data }) => `[${data.length}] ${decode(data)}`);
  return memos.length === 0 ? null : memos.join('; ');
}

function decode(data: Uint8Array): string {
  try {
    return UTF8.decode(data);
  } catch {
    return '(unparseable)';
  }
}
