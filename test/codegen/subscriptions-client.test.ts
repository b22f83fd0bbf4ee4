import { describe, expect, it, onTestFinished, vi } from 'vitest';
import WsSocket from 'ws';
import { errorNameOf } from '../../generated/ledger/client.ts';
import type { ConnectionEvent } from '../../generated/ledger/subscriptions-client.ts';
import { startScriptedSocket } from '../support/scripted-socket.ts';
import { failureOf, next, rest, slots, until, useScriptedServer } from './use-scripted-server.ts';

const { server, clientOf, calls } = useScriptedServer();
const ADDRESS = '11111111111111111111111111111111';
const SIGNATURE = '1'.repeat(64);

const account = (slot: number | bigint, lamports: number | bigint = 5) => ({
  context: { slot },
  value: {
    lamports,
    data: ['', 'base64'],
    owner: ADDRESS,
    executable: false,
    rentEpoch: 2n ** 64n - 1n,
    space: 0,
  },
});

describe.each([
  ['of the platform', undefined],
  ['of the package ws', WsSocket],
])('the client of subscriptions, over the WebSocket %s', (_, WebSocket) => {
  it('sends the params exactly, the key in the address, and hands out exact integers', async () => {
    const client = clientOf({
      url: `${server().url}/solana-localnet`,
      apiKey: 'the key',
      ...(WebSocket && { WebSocket }),
    });
    const subscription = await client.accountSubscribe(ADDRESS, {
      encoding: 'base64',
      minContextSlot: 2n ** 64n - 1n,
    });
    expect(server().opened).toEqual(['/solana-localnet?apikey=the+key']);
    expect(server().messages).toEqual([
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'accountSubscribe',
        params: [ADDRESS, { encoding: 'base64', minContextSlot: 2n ** 64n - 1n }],
      },
    ]);
    server().notify('accountNotification', 1, account(7, 2n ** 60n));
    expect(await next(subscription)).toEqual({
      context: { slot: 7n },
      value: expect.objectContaining({ lamports: 2n ** 60n, rentEpoch: 2n ** 64n - 1n, space: 0n }),
    });
  });
});

describe('where the platform has no WebSocket, as on Node 20', () => {
  const withoutSocket = (): void => {
    vi.stubGlobal('WebSocket', undefined);
    onTestFinished(() => void vi.unstubAllGlobals());
  };

  it('says at once what to pass', () => {
    withoutSocket();
    expect(() => clientOf()).toThrow(
      new TypeError(
        'this platform has no WebSocket of its own (Node has one from version 22 on): pass one as the option WebSocket, such as that of the package ws',
      ),
    );
  });

  it('works with the one that is passed', async () => {
    withoutSocket();
    const subscription = await clientOf({ WebSocket: WsSocket }).rootSubscribe();
    server().notify('rootNotification', 1, 5);
    expect(await next(subscription)).toBe(5n);
  });
});

describe('a subscription', () => {
  it('has the notification that comes with the reply', async () => {
    server().play(({ id }, socket) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', result: 3, id }));
      server().notify('rootNotification', 3, 5);
      return undefined;
    });
    expect(await next(await clientOf().rootSubscribe())).toBe(5n);
  });

  it('ends with the loop that reads it, at the server too', async () => {
    const subscription = await clientOf().slotSubscribe();
    server().notify('slotNotification', 1, slots(40));
    for await (const { slot, root } of subscription) {
      expect([slot, root]).toEqual([40n, 8n]);
      break;
    }
    expect(server().messages.at(-1)).toMatchObject({ method: 'slotUnsubscribe', params: [1] });
  });

  it('hands out what waits after it was ended, then nothing more', async () => {
    const subscription = await clientOf().rootSubscribe();
    server().notify('rootNotification', 1, 5);
    server().notify('rootNotification', 1, 6);
    expect(await next(subscription)).toBe(5n);
    await subscription.unsubscribe();
    server().notify('rootNotification', 1, 7);
    expect(await rest(subscription)).toEqual([6n]);
    await subscription.unsubscribe();
    expect(calls()).toEqual(['rootSubscribe', 'rootUnsubscribe']);
  });

  it('ends by itself with the outcome of a signature, which no unsubscribe call follows', async () => {
    const subscription = await clientOf().signatureSubscribe(SIGNATURE, { enableReceivedNotification: true });
    server().notify('signatureNotification', 1, { context: { slot: 5 }, value: 'receivedSignature' });
    server().notify('signatureNotification', 1, { context: { slot: 6 }, value: { err: null } });
    expect(await rest(subscription)).toEqual([
      { context: { slot: 5n }, value: 'receivedSignature' },
      { context: { slot: 6n }, value: { err: null } },
    ]);
    await subscription.unsubscribe();
    expect(calls()).toEqual(['signatureSubscribe']);
  });

  it('that the server refuses throws its error, by its name', async () => {
    server().play(() => ({ error: { code: -32602, message: 'Invalid Request: Invalid pubkey provided' } }));
    const error = await failureOf(clientOf().accountSubscribe('abc'));
    expect(error).toMatchObject({ method: 'accountSubscribe', failure: { kind: 'rpc', code: -32602 } });
    expect(errorNameOf(error)).toBe('subscribedAddressInvalid');
  });

  it('that is not answered in time throws', async () => {
    server().play(() => undefined);
    expect(await failureOf(clientOf({ timeoutMs: 20 }).slotSubscribe())).toMatchObject({
      failure: { kind: 'timeout', timeoutMs: 20 },
    });
  });

  it('whose answer is neither result nor error throws', async () => {
    server().play(({ id }, socket) => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id }));
      return undefined;
    });
    expect(await failureOf(clientOf().slotSubscribe())).toMatchObject({ failure: { kind: 'malformed' } });
  });

  it('whose answer is no id throws', async () => {
    server().play(() => ({ result: 'seven' }));
    expect(await failureOf(clientOf().slotSubscribe())).toMatchObject({
      failure: { kind: 'malformed', reason: 'the result is not an id' },
    });
  });

  it('that notifies what cannot be read fails, and no other', async () => {
    const client = clientOf();
    const [told, roots] = [await client.slotSubscribe(), await client.rootSubscribe()];
    server().notify('slotNotification', 1, { slot: 1.5, parent: 1, root: 0 });
    server().notify('rootNotification', 2, 5);
    expect(await failureOf(rest(told))).toMatchObject({ failure: { kind: 'malformed' } });
    expect(await next(roots)).toBe(5n);
    await until('it is ended', () => calls().includes('slotUnsubscribe'));
  });

  it('is asked for at an address of WebSocket or HTTP only', () => {
    expect(() => clientOf({ url: 'ftp://127.0.0.1/' })).toThrow(/must begin with ws, wss, http or https/);
  });

  it('of a server that is not there throws, and the key is in no part of the error', async () => {
    const gone = await startScriptedSocket();
    await gone[Symbol.asyncDispose]();
    const events: ConnectionEvent[] = [];
    const client = clientOf({
      url: gone.url,
      apiKey: 'the-secret-key',
      onConnection: (event) => events.push(event),
    });
    const error = await failureOf(client.slotSubscribe());
    expect(error.failure).toEqual({ kind: 'network' });
    expect(`${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`).not.toContain('the-secret-key');
    expect(events).toEqual([
      { kind: 'lost', code: expect.any(Number), reason: expect.any(String), retryMs: undefined },
    ]);
  });

  it('shares an id with others that mean the same, and the last one ends it', async () => {
    server().play(({ method }) => ({ result: method.endsWith('Unsubscribe') ? true : 9 }));
    const client = clientOf();
    const [first, second] = await Promise.all([
      client.accountSubscribe(ADDRESS),
      client.accountSubscribe(ADDRESS, {}),
    ]);
    server().notify('accountNotification', 9, account(7));
    expect(await Promise.all([next(first), next(second)])).toEqual([
      expect.objectContaining({ context: { slot: 7n } }),
      expect.objectContaining({ context: { slot: 7n } }),
    ]);
    await first.unsubscribe();
    expect(calls()).not.toContain('accountUnsubscribe');
    server().notify('accountNotification', 9, account(8));
    expect(await next(second)).toMatchObject({ context: { slot: 8n } });
    await second.unsubscribe();
    expect(calls().filter((name) => name === 'accountUnsubscribe')).toHaveLength(1);
  });

  it('is not ended while a call is under way that may be given its id', async () => {
    let answer = (): void => undefined;
    let asked = 0;
    server().play(({ id, method }, socket) => {
      asked += 1;
      if (asked === 2) {
        answer = () => socket.send(JSON.stringify({ jsonrpc: '2.0', result: 9, id }));
        return undefined;
      }
      return { result: method.endsWith('Unsubscribe') ? true : 9 };
    });
    const client = clientOf();
    const first = await client.accountSubscribe(ADDRESS);
    const second = client.accountSubscribe(ADDRESS, null);
    await until('the second call is there', () => asked === 2);
    const ended = first.unsubscribe();
    answer();
    await Promise.all([ended, second]);
    expect(calls()).toEqual(['accountSubscribe', 'accountSubscribe']);
    server().notify('accountNotification', 9, account(8));
    expect(await next(await second)).toMatchObject({ context: { slot: 8n } });
  });

  it('that was given up before the answer came is ended at the server', async () => {
    let answer = (): void => undefined;
    server().play(({ id, method }, socket) => {
      if (method === 'slotUnsubscribe') return { result: true };
      answer = () => socket.send(JSON.stringify({ jsonrpc: '2.0', result: 4, id }));
      return undefined;
    });
    const controller = new AbortController();
    const asked = clientOf().subscribe('slotSubscribe', [], { signal: controller.signal });
    const failed = failureOf(asked);
    await until('the call is there', () => calls().length === 1);
    controller.abort();
    expect(await failed).toMatchObject({ failure: { kind: 'aborted' } });
    answer();
    await until('it is ended', () => calls().includes('slotUnsubscribe'));
    expect(server().messages.at(-1)).toMatchObject({ params: [4] });
  });

  it('fails with its signal, after what waits', async () => {
    const controller = new AbortController();
    const subscription = await clientOf().subscribe('rootSubscribe', [], { signal: controller.signal });
    server().notify('rootNotification', 1, 5);
    const taken: unknown[] = [];
    const read = (async () => {
      for await (const root of subscription) {
        taken.push(root);
        controller.abort();
      }
    })();
    expect(await failureOf(read)).toMatchObject({ failure: { kind: 'aborted' } });
    expect(taken).toEqual([5n]);
    await until('it is ended', () => calls().includes('rootUnsubscribe'));
  });

  it('hears nothing of another kind under its id, nor what is no notification of anything', async () => {
    const subscription = await clientOf().rootSubscribe();
    server().notify('slotNotification', 1, slots(40));
    server().notify('rootNotification', 2, 4);
    server().tell({ jsonrpc: '2.0', method: 'rootNotification' });
    server().tell({ jsonrpc: '2.0', method: 'unheardOf', params: [] });
    server().tell({ jsonrpc: '2.0', id: 77, result: 1 });
    server().notify('rootNotification', 1, 5);
    expect(await next(subscription)).toBe(5n);
  });
});

describe('the end of a client', () => {
  it('ends every subscription in peace, and the connection', async () => {
    const client = clientOf();
    const [told, roots] = [await client.slotSubscribe(), await client.rootSubscribe()];
    client.close();
    expect([await rest(told), await rest(roots)]).toEqual([[], []]);
    await until('it is closed', () => server().sockets.size === 0);
  });

  it('by its signal fails every subscription, and those asked for later', async () => {
    const controller = new AbortController();
    const client = clientOf({ signal: controller.signal });
    const told = await client.slotSubscribe();
    controller.abort();
    expect(await failureOf(rest(told))).toMatchObject({ failure: { kind: 'aborted' } });
    expect(await failureOf(client.rootSubscribe())).toMatchObject({ failure: { kind: 'aborted' } });
    await until('it is closed', () => server().sockets.size === 0);
  });
});
