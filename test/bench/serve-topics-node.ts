import { createServer } from 'node:http';
import { hashAt } from '../lab/nodes/chain-node.ts';

// A node whose blocks are large and made as they are asked for: what is measured is the way from its reply to the gateways.

const FIRST = 1_000_000;
const [transactions = 500] = process.argv.slice(2).map(Number);
let newest = FIRST;
let asked = 0;

const key = Buffer.alloc(32, 1);
/** A legacy transaction of one signature and three accounts, with bytes that do not repeat. */
function wireAt(slot: number, index: number): string {
  const signature = Buffer.alloc(64);
  for (let at = 0; at < 64; at += 4)
    signature.writeUInt32LE(
      (Math.imul(slot + at, 2_654_435_761) ^ Math.imul(index + 1, 40_503 + at)) >>> 0,
      at,
    );
  const accounts = [key, signature.subarray(0, 32), signature.subarray(32)];
  const data = signature.subarray(8, 48);
  const message = [
    Buffer.from([1, 0, 1, 3]),
    ...accounts,
    key,
    Buffer.from([1, 2, 2, 0, 1, data.length]),
    data,
  ];
  return Buffer.concat([Buffer.from([1]), signature, ...message]).toString('base64');
}

function blockAt(slot: number): string {
  const all = Array.from({ length: transactions }, (_, index) => ({
    transaction: [wireAt(slot, index), 'base64'],
    meta: {
      err: null,
      fee: 5000,
      computeUnitsConsumed: 450 + index,
      loadedAddresses: { writable: [], readonly: [] },
      preBalances: [1e9 + index, 5e8, 1],
      postBalances: [1e9 + index - 5000, 5e8, 1],
      postTokenBalances: [],
      logMessages: [
        `Program log: ${index} ${slot}`,
        `Program consumed ${450 + index} of 200000 compute units`,
      ],
    },
  }));
  const chain = { blockhash: hashAt(slot), previousBlockhash: hashAt(slot - 1), parentSlot: slot - 1 };
  return JSON.stringify({
    ...chain,
    blockHeight: slot,
    blockTime: 1_700_000_000,
    transactions: all,
    rewards: [],
  });
}

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };

function resultOf({ method, params = [] }: Call): string {
  switch (method) {
    case 'getBlock':
      asked++;
      return blockAt(Number(params[0]));
    case 'getBlocksWithLimit': {
      const [start, limit] = params.map(Number);
      const slots = Array.from({ length: limit ?? 0 }, (_, at) => (start ?? 0) + at);
      return JSON.stringify(slots.filter((slot) => slot <= newest));
    }
    case 'getFirstAvailableBlock':
      return '0';
    case 'getGenesisHash':
      return '"5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"';
    default:
      return String(newest);
  }
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const call = JSON.parse(body) as Call;
  response.setHeader('content-type', 'application/json');
  response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(call.id)},"result":${resultOf(call)}}`);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0, bytes: blockAt(FIRST).length });
});
process.on('message', (count: number) => {
  if (count > 0) newest += count;
  process.send?.({ newest, asked });
});
process.once('disconnect', () => process.exit());
