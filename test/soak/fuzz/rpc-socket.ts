import { once } from 'node:events';
import { type RawData, WebSocket } from 'ws';
import { ERRORS } from '../../../generated/errors.ts';
import { hostileBody } from '../../fuzz/hostile-bodies.ts';
import { randomCall } from '../../server/differential/random-calls.ts';
import type { Random } from '../../lab/random.ts';
import { Corpus } from './corpus.ts';
import { chance, damaged, pick } from './damage.ts';
import { faultOfReply } from './judge-reply.ts';
import { readLedgerValues } from './ledger-values.ts';
import type { LaneDeps, Protocol } from './protocol.ts';
import { writeToSocket } from './raw-socket.ts';
import { frameOf, oddFrame } from './socket-frame.ts';

const AT_ONCE = 32;
/** Then the client opens another connection. */
const MESSAGES_OF_A_SOCKET = 2_000;
const CONTROL_MS = 30_000;
const RAW_AT_ONCE = 8;
const RAW_FRAMES = 4;
/** One message in this number is left as it is, UTF-8 or not. */
const NO_UTF8 = 500;
/** Closed by the client, or in the middle of a frame; for what was no WebSocket; or with a code of the catalogue. Never 1011, an internal error. */
const CLOSE_CODES: ReadonlySet<unknown> = new Set([
  ...[1000, 1002, 1003, 1005, 1006, 1007, 1008, 1009],
  ...Object.values(ERRORS).flatMap((entry) => ('close' in entry ? [entry.close.code] : [])),
]);
const SUBSCRIPTIONS = [
  ...['slotSubscribe', 'rootSubscribe', 'slotUnsubscribe', 'accountUnsubscribe', 'slotsUpdatesSubscribe'],
  ...[
    'accountSubscribe',
    'signatureSubscribe',
    'logsSubscribe',
    'programSubscribe',
    'blockSubscribe',
    'voteSubscribe',
  ],
];

/** JSON-RPC over WebSocket: calls and subscriptions, right, a little wrong and damaged, and frames that are none. */
export const rpcOverSocket: Protocol = {
  name: 'JSON-RPC over WebSocket',
  lanes: 8,
  env: { KEYSLOT_BODY_TIMEOUT_MS: '1000' },
  prepare: async ({ rpcUrl }) => {
    const values = await readLedgerValues(rpcUrl);
    const url = rpcUrl.replace(/^http/, 'ws');
    const { port, pathname, search } = new URL(rpcUrl);
    return async (deps) => {
      const { random, count, fault } = deps;
      const calls = new Corpus(randomCall(values), random);
      const hostile = new Corpus(hostileBody, random);
      const nextMessage = (): Buffer => {
        if (chance(15, random)) return hostile.next();
        const text = chance(15, random) ? subscription(values.addresses, deps) : calls.next();
        return chance(40, random) ? damaged(Buffer.from(text), random) : Buffer.from(text);
      };
      const sendRaw = async (): Promise<void> => {
        const frames = Array.from({ length: RAW_FRAMES }, (_, at) =>
          at === RAW_FRAMES - 1 ? oddFrame(nextMessage(), random) : frameOf(nextMessage()),
        );
        const end = await writeToSocket(Number(port), `${pathname}${search}`, Buffer.concat(frames));
        count(`raw: ${end.isUpgraded ? `closed with ${end.closeCode ?? 'nothing'}` : 'not opened'}`);
        const isAllowed = end.closeCode === undefined || CLOSE_CODES.has(end.closeCode);
        if (!isAllowed || end.isLate)
          fault(
            `a connection of raw frames ended with ${end.closeCode}, late: ${end.isLate}: ${Buffer.concat(frames).toString('base64')}`,
          );
      };
      let client = await openClient(url, deps);
      return {
        burst: async () => {
          if (chance(2, random)) {
            await Promise.all(Array.from({ length: RAW_AT_ONCE }, sendRaw));
            return RAW_AT_ONCE * RAW_FRAMES;
          }
          if (client.isSpent()) {
            await client.close();
            client = await openClient(url, deps);
          }
          await client.send(Array.from({ length: AT_ONCE }, () => asText(nextMessage(), random)));
          return AT_ONCE;
        },
        close: () => client.close(),
      };
    };
  },
};

/** The bytes as UTF-8, mostly: what is not ends the connection, with all that comes behind it. */
function asText(bytes: Buffer, random: Random): Buffer {
  return random(NO_UTF8) === 0 ? bytes : Buffer.from(bytes.toString('latin1'));
}

function subscription(addresses: readonly string[], { random }: LaneDeps): string {
  const params = pick(
    [[], [pick(addresses, random)], [random(100)], ['all'], [pick(addresses, random), {}]],
    random,
  );
  return JSON.stringify({ jsonrpc: '2.0', id: random(1_000), method: pick(SUBSCRIPTIONS, random), params });
}

/** A connection on which a right call follows each lot of messages: its answer shows that the server still works. */
async function openClient(url: string, { count, fault }: LaneDeps) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  let [sent, control] = [0, 0];
  let answered = Promise.withResolvers<void>();
  let closeCode: number | undefined;
  socket.on('message', (data: RawData) => {
    const text = String(data);
    count(text.includes('"subscription":') && text.includes('"method"') ? 'notification' : 'answer');
    const wrong = faultOfReply(text);
    if (wrong !== undefined) fault(wrong);
    if (text.includes(`"id":"control-${control}"`)) answered.resolve();
  });
  socket.on('error', () => undefined);
  socket.once('close', (code: number) => {
    closeCode = code;
    count(`closed with ${code}`);
    if (!CLOSE_CODES.has(code)) fault(`a connection was closed with ${code}`);
    answered.resolve();
  });
  await once(socket, 'open');
  return {
    isSpent: () => closeCode !== undefined || sent >= MESSAGES_OF_A_SOCKET,
    send: async (messages: readonly Buffer[]): Promise<void> => {
      sent += messages.length;
      control += 1;
      answered = Promise.withResolvers();
      for (const message of messages) socket.send(message, { binary: false });
      socket.send(`{"jsonrpc":"2.0","id":"control-${control}","method":"getSlot"}`);
      const late = setTimeout(() => {
        fault(`a right call was not answered within ${CONTROL_MS} ms`);
        answered.resolve();
      }, CONTROL_MS);
      await answered.promise;
      clearTimeout(late);
    },
    close: async (): Promise<void> => {
      if (closeCode !== undefined) return;
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}
