import { createServer, type AddressInfo, type Socket } from 'node:net';

// A ledger node for the bench: bare sockets and answers made ahead, so that it costs little compared with the measured server.

const HEAD_END = '\r\n\r\n';
const ACCOUNT = `{"pubkey":"4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T","account":{"lamports":18446744073709551615,"data":["${'A'.repeat(800)}","base64"]}}`;
const RESULTS: readonly (readonly [method: string, result: string])[] = [
  ['getProgramAccounts', `[${Array.from({ length: 5_300 }, () => ACCOUNT).join(',')}]`],
  [
    'getTransaction',
    `{"slot":348,"blockTime":1767225739,"meta":{"err":null,"logMessages":["${'x'.repeat(1_900)}"]}}`,
  ],
];
/** The gateway's own calls, by which it learns the chain, its pace and how far the node is. */
const SMALL: readonly (readonly [method: string, result: () => string])[] = [
  ['getSlot', () => String(newestSlot())],
  ['getGenesisHash', () => '"5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"'],
  ['getRecentPerformanceSamples', () => '[{"numSlots":150,"samplePeriodSecs":60}]'],
];
const FIRST_SLOT = 348_000_000;
const SLOT_MS = 400;
const LARGE = new Map(RESULTS.map(([method, result]) => [method, answer(reply(result, '1'))]));

const server = createServer({ noDelay: true }, (socket) => {
  let pending: Buffer = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    pending = takeRequests(socket, pending.length === 0 ? chunk : Buffer.concat([pending, chunk]));
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ port }));
});
process.once('SIGTERM', () => process.exit(0));

/** Answers every complete request in the bytes; what is left of them. */
function takeRequests(socket: Socket, bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const headEnd = rest.indexOf(HEAD_END);
    if (headEnd < 0) return rest;
    const length = /\r\ncontent-length: *(\d+)/i.exec(rest.toString('latin1', 0, headEnd))?.[1];
    const start = headEnd + HEAD_END.length;
    const end = start + Number(length);
    if (length === undefined) throw new Error('the scripted node wants a content-length');
    if (rest.length < end) return rest;
    socket.write(answerTo(rest.toString('latin1', start, end)));
    rest = rest.subarray(end);
  }
}

function answerTo(body: string): Buffer {
  const ids = [...body.matchAll(/"id":(\d+|"\w+")/g)].map(([, id]) => id ?? 'null');
  const balance = `{"context":{"apiVersion":"3.0.0","slot":${newestSlot()}},"value":1000000000}`;
  if (body.startsWith('[')) return answer(`[${ids.map((id) => reply(balance, id)).join(',')}]`);
  for (const [method, large] of LARGE) if (body.includes(method)) return large;
  const result = SMALL.find(([method]) => body.includes(method))?.[1]() ?? balance;
  return answer(reply(result, ids[0] ?? 'null'));
}

function newestSlot(): number {
  return FIRST_SLOT + Math.floor(performance.now() / SLOT_MS);
}

function reply(result: string, id: string): string {
  return `{"jsonrpc":"2.0","result":${result},"id":${id}}`;
}

function answer(body: string): Buffer {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return Buffer.from(`${head}${HEAD_END}${body}`);
}
