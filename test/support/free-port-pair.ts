import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

const TRIES = 50;

/** A port of this machine that is free now, as is the one after it. */
export async function freePortPair(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as { port: number };
    const isNextFree = port < 65_535 && (await isFree(port + 1));
    await close(first);
    if (isNextFree) return port;
  }
  throw new Error('no two free ports in a row');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isListening) await close(server);
  return isListening;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
