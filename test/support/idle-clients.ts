import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type StrangerOptions = {
  /** What each says before it falls silent. */
  readonly says?: string;
  /** Where they come from; all of 127.0.0.0/8 is this machine. */
  readonly from?: string;
};

/** A client that connects and waits. */
export type Stranger = {
  readonly socket: Socket;
  /** All that it hears until its connection ends. */
  readonly heard: Promise<string>;
};

/** Opens connections that ask for nothing, one after the other. They end with the test. */
export async function openStrangers(
  port: number,
  count: number,
  { says = '', from }: StrangerOptions = {},
): Promise<readonly Stranger[]> {
  const strangers: Stranger[] = [];
  onTestFinished(() => {
    for (const { socket } of strangers) socket.destroy();
  });
  for (let index = 0; index < count; index++) {
    const socket = connect({
      port,
      host: '127.0.0.1',
      ...(from === undefined ? {} : { localAddress: from }),
    });
    socket.on('error', () => undefined);
    strangers.push({ socket, heard: text(socket).catch(() => 'broken off') });
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
    if (says !== '') socket.write(says);
  }
  return strangers;
}
