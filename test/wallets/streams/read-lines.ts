import type { IncomingMessage } from 'node:http';
import { eventually } from '../../../src/core/eventually.ts';

/** The part of a stream that a client received: its whole lines, without their ends, and if the stream was ended or broken off. */
export type GotLines = { readonly lines: readonly string[]; readonly isWhole: boolean };

/** Reads a stream to its end, or up to a number of lines: then the connection is closed. */
export async function readLines(answer: IncomingMessage, most = Infinity): Promise<GotLines> {
  let [text, ends] = ['', 0];
  try {
    for await (const bytes of answer) {
      const piece = String(bytes);
      text += piece;
      ends += piece.split('\n').length - 1;
      if (ends >= most) break;
    }
  } catch {
    // The connection broke: `complete` says so.
  }
  return { lines: text.split('\n').slice(0, -1), isWhole: answer.complete && text.endsWith('\n') };
}

/** The first bytes of a stream; nothing more is read. */
export async function readFirst(answer: IncomingMessage): Promise<string> {
  const bytes = await eventually('the first bytes have come', () => answer.read() ?? undefined);
  return String(bytes);
}

/** Waits until a figure is above 0 and has stayed the same for half a second, in which it would grow by thousands, and returns it. */
export async function settled(read: () => Promise<number> | number): Promise<number> {
  let [last, same] = [-1, 0];
  return eventually('the work has stopped', async () => {
    const now = await read();
    same = now === last ? same + 1 : 0;
    last = now;
    return same >= 10 && now > 0 ? now : undefined;
  });
}
