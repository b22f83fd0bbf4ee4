import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKeyText } from '../../src/account/identity/api-keys/key-text.ts';
import { digestKey, Keyring } from '../../src/account/identity/api-keys/keyring.ts';
import { type ScriptedNode, startScriptedNode } from './scripted-node.ts';
import { type Gateway, startGateway } from './start-gateway.ts';

const BODY = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';

let node: ScriptedNode;
let keyring: Keyring;
let gateway: Gateway;
let socket: Socket;

beforeEach(async () => {
  node = await startScriptedNode();
  keyring = new Keyring();
  gateway = await startGateway({ nodeUrls: [node.url], keys: keyring });
  socket = connect(Number(new URL(gateway.rpcUrl).port), '127.0.0.1');
});

afterEach(async () => {
  socket.destroy();
  await gateway.close();
  await node.close();
});

function addKey(keyId: string): string {
  const text = createKeyText('ks_key_');
  const rest = { isRevoked: false, expiresAtMs: undefined, checkSource: undefined };
  keyring.put({ keyId, accountId: keyId, digest: digestKey(text), ...rest });
  return text;
}

/** The status of an answer on the one connection. */
async function statusWith(key: string): Promise<string | undefined> {
  const { pathname } = new URL(gateway.rpcUrl);
  const head = [
    `POST ${pathname}?apikey=${key} HTTP/1.1`,
    ...['host: x', 'content-type: application/json', `content-length: ${BODY.length}`],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${BODY}`);
  let answer = '';
  while (!answer.endsWith('}') && !answer.endsWith('}\n')) answer += String((await once(socket, 'data'))[0]);
  return /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1];
}

test('a key that is revoked is refused with the next request of a connection that has always sent the same', async () => {
  const key = addKey('one');
  expect([await statusWith(key), await statusWith(key)]).toEqual(['200', '200']);
  keyring.revoke('one');
  expect([await statusWith(key), await statusWith(key)]).toEqual(['401', '401']);
});

test('each request of a connection goes by its own key', async () => {
  const [mine, other] = [addKey('mine'), addKey('other')];
  keyring.revoke('other');
  const unknown = createKeyText('ks_key_');
  const statuses: unknown[] = [];
  for (const key of [mine, other, mine, unknown, unknown, mine]) statuses.push(await statusWith(key));
  expect(statuses).toEqual(['200', '401', '200', '401', '401', '200']);
});
