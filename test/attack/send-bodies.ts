import { Agent, request } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import WebSocket from 'ws';

// A program: sends a body over many connections, one after the other on each, for as long as it runs. It prints what was answered.

const CONNECTIONS = 32;
const MIB = 1024 * 1024;

/** Bodies of about a megabyte that are cheap to send. */
const BODIES: Readonly<Record<string, () => string>> = {
  'a megabyte of opening brackets': () => '['.repeat(MIB - 1),
  'an object of 60,000 members': () =>
    `{${Array.from({ length: 60_000 }, (_, index) => `"member${index}":1`).join(',')}}`,
  'a batch of 340,000 empty objects': () => `[${'{},'.repeat(340_000)}{}]`,
  'a call with 340,000 params': () =>
    `{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[${'[],'.repeat(340_000)}1]}`,
  'a name of a megabyte': () => `{"${'x'.repeat(MIB - 100)}":1}`,
};

const SUBSCRIBE =
  '{"jsonrpc":"2.0","id":1,"method":"accountSubscribe","params":["So11111111111111111111111111111111111111113"]}';

const [name = '', url = '', token] = process.argv.slice(2);
/** Messages that are sent before answers are read. */
const burst = name in BODIES ? 1 : 1_000;
const body = Buffer.from(BODIES[name]?.() ?? SUBSCRIBE);
const statuses = new Set<string>();
const note = (status: string): void => {
  if (!statuses.has(status)) console.log(status);
  statuses.add(status);
};

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };

function post(): void {
  const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
    note(String(answer.statusCode));
    answer.resume().on('end', post);
  });
  sent.on('error', (error) => {
    note(String(error));
    setTimeout(post, 10);
  });
  sent.end(body);
}

function open(): void {
  const socket = new WebSocket(url);
  let unanswered = 0;
  const send = (): void => {
    for (; unanswered < burst; unanswered += 1) socket.send(body);
  };
  socket.on('open', send);
  socket.on('message', (answer) => {
    const text = String(answer).slice(0, 200);
    if (text.includes('Notification')) return;
    note(text.replace(/"result":\d+/, '"result":…'));
    unanswered -= 1;
    if (unanswered === 0) send();
  });
  socket.on('error', () => undefined);
  socket.on('close', (code) => {
    note(`closed with ${code}`);
    setTimeout(open, 10);
  });
}

/** Sends the body as a message of a gRPC call, where each opening bracket begins a group in the one before. */
function call(session?: ClientHttp2Session): void {
  const { origin, pathname: path } = new URL(url.slice('grpc+'.length));
  if (session === undefined || session.destroyed) {
    const opened = connect(origin);
    opened.on('error', () => undefined).once('connect', () => call(opened));
    return;
  }
  const type = { 'content-type': 'application/grpc', te: 'trailers', ...(token && { 'x-api-key': token }) };
  const stream = session.request({ ':method': 'POST', ':path': path, ...type });
  let status: unknown;
  const noteStatus = ({ 'grpc-status': told = status }): void => {
    status = told;
  };
  stream.on('response', noteStatus).on('trailers', noteStatus);
  stream
    .on('error', () => undefined)
    .on('close', () => {
      note(`status ${status}`);
      setImmediate(call, session);
    });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 1);
  stream.resume().end(Buffer.concat([head, body]));
}

for (let index = 0; index < CONNECTIONS; index += 1) {
  if (url.startsWith('ws')) open();
  else if (url.startsWith('grpc+')) call();
  else post();
}
