import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const TRIES = 50;

/** Below the ports that systems hand out by themselves: no connection or server of another test takes one meanwhile. */
const FIRST = 10_000;
const LAST = 32_000;

/** A port of this machine that is free now, as is the one after it. */
export async function freePortPair(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST / 2, LAST / 2) * 2;
    if ((await isFree(port)) && (await isFree(port + 1))) return port;
  }
  throw new Error('no two free ports in a row');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isListening) return false;
  server.close();
  await once(server, 'close');
  return true;
}
