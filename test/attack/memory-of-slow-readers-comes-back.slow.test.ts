import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { expectUnharmed, INSPECTED, openServer, residentBytes, usedBytes } from '../fuzz/open-server.ts';
import { echoResult } from '../server/scripted-node.ts';

const MIB = 1024 * 1024;
const READERS = 64;
/** As the command, the unit and the image start the server. */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: '1048576', MALLOC_TRIM_THRESHOLD_: '131072' };
const LARGE = `[{"jsonrpc":"2.0","id":1,"method":"getProgramAccounts","params":["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"]}]`;

// Memory is read from /proc.
test.skipIf(process.platform !== 'linux')(
  '64 clients that read nothing leave nothing behind: after a collection the server takes at most 1.3 times what it took',
  async () => {
    const server = await openServer({ ...MALLOC, ...INSPECTED });
    try {
      await expectUnharmed(server, 1);
      const before = residentBytes(server.keyslot.pid);
      server.node.play(echoResult(JSON.stringify('x'.repeat(16 * MIB))));
      const sockets = Array.from({ length: READERS }, () => {
        const socket = connect(Number(new URL(server.keyslot.baseUrl).port), '127.0.0.1').pause();
        const head = `POST ${server.target} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`;
        socket.write(`${head}content-length: ${LARGE.length}\r\n\r\n${LARGE}`);
        return socket.on('error', () => undefined);
      });
      const grown = (): number => residentBytes(server.keyslot.pid) / before;
      await expect
        .poll(() => heldBytes(server.keyslot.baseUrl), { timeout: 60_000 })
        .toBeGreaterThan(96 * MIB);
      const most = grown();
      for (const socket of sockets) socket.destroy();
      const collected = async (): Promise<number> => {
        await usedBytes(server);
        return grown();
      };
      await expect.poll(collected, { timeout: 60_000, interval: 500 }).toBeLessThan(1.3);
      console.log(
        `${Math.round(before / MIB)} MiB before, ${most.toFixed(2)} times with readers, then ${grown().toFixed(2)} times`,
      );
      server.node.play(echoResult('1'));
      await expectUnharmed(server, 2);
    } finally {
      await server.close();
    }
  },
  180_000,
);

async function heldBytes(baseUrl: string): Promise<number> {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  return Number(/^keyslot_held_reply_bytes (\d+)$/m.exec(metrics)?.[1]);
}
