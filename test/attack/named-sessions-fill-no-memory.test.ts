import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { type Caller, createAuthenticate } from '../../src/server/access/authenticate.ts';
import { createClientAddress } from '../../src/server/access/client-address.ts';
import { ReadYourWrites } from '../../src/gateway/ledger/read-your-writes/read-your-writes.ts';
import { Readers } from '../../src/gateway/ledger/read-your-writes/readers.ts';
import { keptBytes } from '../support/kept-bytes.ts';
import {
  createSocketEndpoint,
  type SocketEndpointOptions,
} from '../../src/server/websocket/socket-endpoint.ts';

// A client names its sessions itself. What a gateway keeps of a request head is never more than the part that it needs.

const TEXT_CHARACTERS = 15_000;
const MOST = 1_000;
const nowMs = () => 0;

/** A text of its own, as a request brings one. */
const longText = (index: number): string =>
  Buffer.from(`${index}-`.padEnd(TEXT_CHARACTERS, 'x')).toString('latin1');

test('of the name of a session 64 characters are kept, not the header that it came in', async () => {
  const authenticate = createAuthenticate(
    { find: () => ({ kind: 'valid', keyId: 'k', accountId: 'a' }) },
    { nowMs },
    () => undefined,
  );
  const readYourWrites = new ReadYourWrites({
    ...{ isOn: true, waitMs: 1, expected: () => 0, nowMs },
    ...{ isAlone: () => true, allHave: () => true, slotsIn: () => undefined },
  });
  const name = (index: number): void => {
    const headers = { 'x-api-key': 'k', 'keyslot-session': longText(index) };
    const caller: Caller = authenticate({ url: '/', headers, socket: {} as never }, 'solana-localnet');
    expect(caller.session).toHaveLength(64);
    readYourWrites.noteSlot('processed', index, caller);
  };
  expect(await keptBytes(3_000, name)).toBeLessThan(TEXT_CHARACTERS / 5);
});

test('of a header of a proxy the address is kept', async () => {
  const remoteAddress = '10.0.0.1';
  const clientAddress = createClientAddress((peer) => peer === remoteAddress);
  const read = (index: number) => {
    const listed = `${longText(index)}, 2001:db8:1:2:3:4:5:${index.toString(16)}`;
    return clientAddress({ headers: { 'x-forwarded-for': listed }, socket: { remoteAddress } });
  };
  expect(read(1)).toBe('2001:db8:1:2:3:4:5:1');
  expect(await keptBytes(1_000, read)).toBeLessThan(TEXT_CHARACTERS / 5);
});

test('an open WebSocket keeps its path, not the query that it was opened with', async () => {
  const parts = {
    authenticate: () => ({ keyId: 'k', accountId: 'a' }),
    clientAddress: () => '127.0.0.1',
    sockets: { assertRoom: () => undefined },
    baseUrlOf: () => 'http://127.0.0.1:8080',
  };
  const { admit } = createSocketEndpoint(parts as unknown as SocketEndpointOptions);
  const open = (index: number) =>
    admit(
      { url: `/solana-localnet?apikey=k&${longText(index)}`, headers: {} } as IncomingMessage,
      `req_${index}`,
    );
  expect(open(1).askedAt?.()).toBe('ws://127.0.0.1:8080/solana-localnet');
  expect(await keptBytes(1_000, open)).toBeLessThan(TEXT_CHARACTERS / 5);
});

test('sessions that were not used for a minute are forgotten, whichever key they were of', () => {
  let now = 0;
  const readers = new Readers(() => now);
  for (let index = 0; index < MOST; index++) {
    now += 1_000;
    readers.of({ accountId: 'a', keyId: randomUUID(), session: `s${index}` });
    readers.of({ accountId: `account ${index}`, keyId: randomUUID() });
  }
  expect(readers.size).toBeLessThan(2 * 65);
  now += 120_000;
  readers.of({ accountId: 'another', keyId: randomUUID() });
  expect(readers.size).toBe(1);
});

test('an account keeps half of the room at most, and takes nothing that others have seen', () => {
  const readers = new Readers(nowMs, MOST);
  const others = Array.from({ length: 50 }, (_, at) => ({ accountId: `account ${at}`, keyId: randomUUID() }));
  for (const other of others) readers.of(other).noteSlot('processed', 7, 0);
  for (let index = 0; index < 5 * MOST; index++)
    readers.of({ accountId: 'a', keyId: `k${index % 10}`, session: `s${index}` });
  expect(readers.size).toBeLessThanOrEqual(MOST / 2 + others.length);
  for (const other of others) expect(readers.of(other).slot('processed', 0)).toBe(7);
  // Those with the most make room for many that have few.
  for (let index = 0; index < 2 * MOST; index++)
    readers.of({ accountId: `few ${index % 400}`, keyId: `k${index}` });
  expect(readers.size).toBeLessThanOrEqual(MOST);
  for (const other of others) expect(readers.of(other).slot('processed', 0)).toBe(7);
});

test('the same of readers that other gateways have met', () => {
  const readers = new Readers(nowMs, MOST);
  readers.share({ nameOf: ({ accountId, keyId }) => `${accountId}${keyId}`, onSeen: () => undefined });
  readers.named('goodk')?.noteSlot('processed', 7, 0);
  for (let index = 0; index < 5 * MOST; index++) readers.named(`evil${index}`);
  expect(readers.size).toBeLessThanOrEqual(MOST / 2 + 1);
  expect(readers.of({ accountId: 'good', keyId: 'k' }).slot('processed', 0)).toBe(7);
});
