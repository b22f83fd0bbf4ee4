import { type AddressInfo, connect, createServer } from 'node:net';

// The least that a process of Node can need which passes JSON on and looks at what it is asked: each connection has one of its own to the
// node whose address is the first argument, bytes go over as they come, and the body of each request is parsed. No HTTP, key, limit or
// check; answers are not looked at.

const HEAD_END = '\r\n\r\n';
const READ_BYTES = 64 * 1024;

const { hostname, port } = new URL(process.argv[2] ?? '');

const server = createServer({ noDelay: true }, (client) => {
  const node = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafeSlow(READ_BYTES),
      callback: (sizeBytes, buffer) => client.write(Buffer.from(buffer.subarray(0, sizeBytes))),
    },
  });
  client.on('data', (request) => {
    JSON.parse(request.toString('utf8', request.indexOf(HEAD_END) + HEAD_END.length));
    node.write(request);
  });
  client.on('drain', () => node.resume());
  for (const [socket, other] of [
    [client, node],
    [node, client],
  ] as const) {
    socket.on('error', () => socket.destroy());
    socket.on('close', () => other.destroy());
  }
});

server.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }));
});
process.once('SIGTERM', () => process.exit(0));
