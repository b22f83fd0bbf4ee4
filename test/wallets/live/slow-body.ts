import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RestCaseRequest } from '../../../runtime/rest-case.ts';
import { credentialsOf } from '../../../src/devkit/contract/wallets/run-contract.ts';
import type { Answer } from '../../../src/devkit/contract/wallets/check-answer.ts';

/** Longer than a server waits for a body. */
const SILENCE_MS = 30_000;

/** Sends the head of a request, announces a body that never comes, and reads what the server answers in the end. */
export async function sendWithoutBody(baseUrl: string, request: RestCaseRequest): Promise<Answer> {
  const { method, path, headers } = request;
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new Error('the server says nothing')));
  await once(socket, 'connect');
  const fields = { host: hostname, ...credentialsOf(baseUrl, request), ...headers, 'content-length': '2' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.write(`${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
  try {
    return parse(await text(socket));
  } finally {
    socket.destroy();
  }
}

function parse(answer: string): Answer {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ');
    return [name, value.join(': ')];
  });
  return { status: Number(status.split(' ')[1]), headers: new Headers(headers), text: body };
}
