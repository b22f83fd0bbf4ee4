import { connect, createServer, type Socket } from 'node:net';

// A node's front: passes connections on to a ledger, byte for byte, and breaks them off when its parent says so. Killing this process is,
// for who is connected to it, the loss of the whole node; the ledger behind it goes on.

const [listenPort = 0, ledgerPort = 0] = process.argv.slice(2).map(Number);
const open = new Set<Socket>();

const server = createServer({ noDelay: true }, (client) => {
  const ledger = connect({ host: '127.0.0.1', port: ledgerPort, noDelay: true });
  for (const [from, to] of [
    [client, ledger],
    [ledger, client],
  ] as const) {
    open.add(from);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      open.delete(from);
      to.destroy();
    });
    from.pipe(to);
  }
});
server.listen(listenPort, '127.0.0.1', () =>
  process.send?.({ kind: 'listening', address: server.address() }),
);

process.on('message', () => {
  for (const socket of open) socket.resetAndDestroy();
  process.send?.({ kind: 'dropped' });
});
process.once('disconnect', () => process.exit(0));
