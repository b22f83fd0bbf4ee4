import { Socket } from 'node:net';
import { pino } from 'pino';
import { hardenProcess } from '../core/process/harden-process.ts';
import { openGate, serveLink } from './process/open-gate.ts';
import { ProtocolError } from './wire/byte-reader.ts';

/** The socket that the gateway passes in. It has no name, so no other process can reach the signer. */
const LINK_FD = 3;
const CLOSE_DEADLINE_MS = 2_000;

process.umask(0o077);
hardenProcess();
// Ctrl-C is for the gateway, which lets requests finish before it stops its signer.
process.on('SIGINT', () => undefined);

const log = pino({ name: 'signer' }, pino.destination({ dest: 2, sync: true }));
process.exitCode = await run();
// Threads of a vendor's library must not keep the process alive.
setTimeout(() => process.exit(), CLOSE_DEADLINE_MS).unref();

async function run(): Promise<number> {
  const link = openLink();
  if (link === undefined) {
    process.stderr.write('keyslot serve starts the signer; do not start it by hand.\n');
    return 2;
  }
  const gate = openGate(log);
  try {
    await serveLink(link, gate.answer, () => performance.now());
    return 0;
  } catch (error) {
    log.error(
      { reason: error instanceof ProtocolError ? error.message : String(error) },
      'the connection to the gateway failed',
    );
    return 3;
  } finally {
    await Promise.race([gate.close(), new Promise((done) => setTimeout(done, CLOSE_DEADLINE_MS).unref())]);
  }
}

function openLink(): Socket | undefined {
  try {
    return new Socket({ fd: LINK_FD, readable: true, writable: true });
  } catch {
    return undefined;
  }
}
