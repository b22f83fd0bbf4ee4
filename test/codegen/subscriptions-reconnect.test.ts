import { describe, expect, it } from 'vitest';
import type { ConnectionEvent } from '../../generated/ledger/subscriptions-client.ts';
import { ERRORS } from '../../generated/errors.ts';
import { countingScript } from '../support/scripted-socket.ts';
import { failureOf, next, rest, slots, until, useScriptedServer } from './use-scripted-server.ts';

const { server, stop, clientOf, calls } = useScriptedServer();
const SIGNATURE = '1'.repeat(64);

describe('a connection that is lost', () => {
  it('is opened again and everything asked for again, and what may be missing is told', async () => {
    const events: ConnectionEvent[] = [];
    const gaps: unknown[] = [];
    const client = clientOf({
      onConnection: (event) => events.push(event),
      onGap: ({ method, cause, fromSlot, toSlot }) => gaps.push([method, cause, fromSlot, toSlot]),
    });
    const told = await client.slotSubscribe();
    const outcome = await client.signatureSubscribe(SIGNATURE);
    server().notify('slotNotification', 1, slots(40));
    expect(await next(told)).toMatchObject({ slot: 40n });
    server().breakAll();
    await until('it is back', () => events.some(({ kind }) => kind === 'restored'));
    expect(events).toEqual([
      { kind: 'open' },
      { kind: 'lost', code: 1006, reason: '', retryMs: expect.any(Number) },
      { kind: 'restored', lostMs: expect.any(Number), subscriptions: 2 },
    ]);
    expect(calls()).toEqual(['slotSubscribe', 'signatureSubscribe', 'slotSubscribe', 'signatureSubscribe']);
    server().notify('slotNotification', 1, slots(41));
    server().notify('slotNotification', 3, slots(44));
    server().notify('signatureNotification', 4, { context: { slot: 43 }, value: { err: null } });
    expect(await next(told)).toMatchObject({ slot: 44n });
    expect(await rest(outcome)).toEqual([{ context: { slot: 43n }, value: { err: null } }]);
    expect(gaps).toEqual([['slotSubscribe', 'reconnect', 40n, undefined]]);
  });

  it('is tried until it is back', async () => {
    const events: ConnectionEvent[] = [];
    const subscription = await clientOf({ onConnection: (event) => events.push(event) }).rootSubscribe();
    const startAgain = await stop();
    await until('it was tried three times', () => events.filter(({ kind }) => kind === 'lost').length > 3);
    await startAgain();
    await until('it is back', () => events.at(-1)?.kind === 'restored');
    server().notify('rootNotification', 1, 9);
    expect(await next(subscription)).toBe(9n);
  });

  it('is lost again when the server refuses what it took before, and what it will never take fails', async () => {
    const client = clientOf();
    const [told, refused] = [await client.slotSubscribe(), await client.rootSubscribe()];
    const counting = countingScript();
    let busy = 2;
    server().play((call, socket) => {
      if (call.method === 'rootSubscribe') return { error: { code: -32601, message: 'Method not found' } };
      if (call.method !== 'slotSubscribe' || busy === 0) return counting(call, socket);
      busy -= 1;
      return { error: { code: -32603, message: 'Internal error' } };
    });
    server().breakAll();
    expect(await failureOf(rest(refused))).toMatchObject({ failure: { kind: 'rpc', code: -32601 } });
    await until('it is taken', () => server().opened.length === 4 && calls().length === 2 + 4);
    server().notify('slotNotification', 1, slots(50));
    expect(await next(told)).toMatchObject({ slot: 50n });
  });

  it('is given up for a subscription that the server keeps refusing', async () => {
    const client = clientOf({ retry: { firstMs: 1, mostMs: 1 } });
    const [told, refused] = [await client.slotSubscribe(), await client.rootSubscribe()];
    const counting = countingScript();
    server().play((call, socket) =>
      call.method === 'rootSubscribe'
        ? { error: { code: -32603, message: 'Internal Error: Subscription refused.' } }
        : counting(call, socket),
    );
    server().breakAll();
    expect(await failureOf(rest(refused))).toMatchObject({ failure: { kind: 'rpc', code: -32603 } });
    server().notify('slotNotification', 10, slots(50));
    expect(await next(told)).toMatchObject({ slot: 50n });
  });

  it('is not opened again when the server says that the key has ended', async () => {
    const events: ConnectionEvent[] = [];
    const subscription = await clientOf({ onConnection: (event) => events.push(event) }).slotSubscribe();
    const { code, reason } = ERRORS.apiKeyRevoked.close;
    for (const socket of server().sockets) socket.close(code, reason);
    const error = await failureOf(rest(subscription));
    expect(error.failure).toEqual({ kind: 'closed', code, reason });
    expect(error.message).toBe('slotSubscribe: the server closed the connection: API key revoked (4001)');
    expect(events.at(-1)).toEqual({ kind: 'lost', code, reason, retryMs: undefined });
    expect(server().opened).toHaveLength(1);
  });

  it('waits for nobody: a new subscription goes out with those that are asked for again', async () => {
    const client = clientOf({ retry: { firstMs: 100, mostMs: 100 } });
    await client.slotSubscribe();
    server().breakAll();
    await until('it is lost', () => server().sockets.size === 0);
    await client.rootSubscribe();
    expect(calls()).toEqual(['slotSubscribe', 'slotSubscribe', 'rootSubscribe']);
  });

  it('is not opened again for nobody', async () => {
    const events: ConnectionEvent[] = [];
    const subscription = await clientOf({ onConnection: (event) => events.push(event) }).slotSubscribe();
    await subscription.unsubscribe();
    server().breakAll();
    await until('it is lost', () => events.at(-1)?.kind === 'lost');
    expect(events.at(-1)).toMatchObject({ retryMs: undefined });
  });

  it('is noticed when the server says nothing at all', async () => {
    const client = clientOf({ pingMs: 10, timeoutMs: 500 });
    const subscription = await client.slotSubscribe();
    const counting = countingScript();
    server().play((call, socket) => (server().opened.length === 1 ? undefined : counting(call, socket)));
    await until(
      'there is another connection',
      () => server().opened.length === 2 && server().sockets.size > 0,
    );
    await until('it asked again', () => calls().filter((name) => name === 'slotSubscribe').length === 2);
    expect(calls().slice(0, 3)).toEqual(['slotSubscribe', 'getVersion', 'slotSubscribe']);
    expect(server().messages.some(({ id, method }) => id === undefined && method === 'ping')).toBe(true);
    server().notify('slotNotification', 1, slots(60));
    expect(await next(subscription)).toMatchObject({ slot: 60n });
  });

  it('is one that brought something other than messages', async () => {
    const subscription = await clientOf().slotSubscribe();
    for (const socket of server().sockets) socket.send('not JSON');
    await until('it asked again', () => calls().length === 2);
    server().notify('slotNotification', 2, slots(60));
    expect(await next(subscription)).toMatchObject({ slot: 60n });
  });
});
