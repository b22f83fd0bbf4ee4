import { connect, type Socket } from 'node:net';

const ANSWER_MS = 8_000;

/** Writes bytes in parts, ends as told, and gives what came back until the connection was closed. */
export function exchange(
  port: number,
  bytes: Buffer,
  { parts = 1, end = 'half' }: { parts?: number; end?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket: Socket = connect(port, '127.0.0.1');
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`neither answered nor closed within ${ANSWER_MS} ms; so far: ${answer}`));
    }, ANSWER_MS);
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text: string) => {
      answer += text;
      if (end === 'wait') socket.end();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(late);
      resolve(answer);
    });
    const size = Math.ceil(bytes.length / parts);
    const sendFrom = (start: number): void => {
      if (start < bytes.length)
        socket.write(bytes.subarray(start, start + size), () => setImmediate(sendFrom, start + size));
      else if (end === 'half') socket.end();
      else if (end === 'reset') socket.resetAndDestroy();
    };
    socket.once('connect', () => sendFrom(0));
  });
}
