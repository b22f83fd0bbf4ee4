import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { PlainLane, type PlainLaneOptions } from '../../src/server/http/plain/plain-lane.ts';
import { RequestTracker } from '../../src/server/http/request-tracker.ts';
import { sendBody } from '../../src/server/http/respond.ts';

export const BODY = 'hello';
export const HEAD = `POST /plain HTTP/1.1\r\nhost: x\r\ncontent-length: ${BODY.length}`;
/** A plain request. */
export const PLAIN = `${HEAD}\r\n\r\n${BODY}`;

/** A lane of its own, swept by hand. @returns the client's end of a connection. */
export async function openLane(
  options: Partial<PlainLaneOptions>,
): Promise<{ lane: PlainLane; client: Socket }> {
  const lane = new PlainLane({
    serves: () => true,
    handle: async (_request, response) => sendBody(response, 200, 'done'),
    handOver: (socket) => socket.destroy(),
    tracker: new RequestTracker(),
    onNeverAsked: (socket) => socket.destroy(),
    maxHeadBytes: 1_000,
    keepAliveMs: 60_000,
    requestTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    ...options,
  });
  const listener = createServer((socket) => lane.open(socket)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  client.once('close', () => listener.close());
  await once(client, 'connect');
  return { lane, client };
}
