import type { ServiceError } from '@grpc/grpc-js';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { METHODS } from '../../../generated/ledger/methods.ts';
import { TOPICS } from '../../../generated/stream/topics.ts';
import { compileCallRules, compileRules } from '../../../src/account/identity/api-keys/key-rules.ts';
import type { TokenFinding } from '../../../src/account/identity/tokens/token-ring.ts';
import { createScriptedLedger } from '../../gateway/streams/scripted-ledger.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { endingOf, endOf, metadataOf, rawClient, subscribe, take, text } from './raw-client.ts';
import { startStreamServer, TOKEN } from './start-stream-server.ts';

const start = (options = {}) => startStreamServer({ node: createScriptedLedger(100), ...options });

describe('a key', () => {
  it.each([
    ['that is missing', '', 'UNAUTHENTICATED', 'apiKeyMissing'],
    ['that is unknown', 'ks_key_nobody', 'UNAUTHENTICATED', 'apiKeyUnknown'],
    ['that is an access token', 'ks_tok_nobody', 'UNAUTHENTICATED', 'tokenAsApiKey'],
    ['that was revoked', 'ks_key_revoked', 'UNAUTHENTICATED', 'apiKeyRevoked'],
    ['that has expired', 'ks_key_expired', 'UNAUTHENTICATED', 'apiKeyExpired'],
    ['for other addresses', 'ks_key_elsewhere', 'PERMISSION_DENIED', 'apiKeyAddressRefused'],
    ['for pages', 'ks_key_page', 'PERMISSION_DENIED', 'apiKeyOriginRefused'],
  ])('%s is refused by every call', async (_, key, status, error) => {
    const client = rawClient((await start()).port);
    expect(await endOf(subscribe(client, {}, { 'x-api-key': key }))).toMatchObject({ status, error });
    for (const call of ['listTopics', 'getTopicSchema'] as const) {
      const refused = await new Promise<ServiceError | null>((resolve) => {
        const metadata = metadataOf({ 'x-api-key': key });
        if (call === 'listTopics') client.listTopics({}, metadata, (thrown) => resolve(thrown));
        else client.getTopicSchema({ topic: 'slots' }, metadata, (thrown) => resolve(thrown));
      });
      expect(endingOf(refused as ServiceError)).toMatchObject({ status, error });
    }
  });

  it('for some topics is refused for others, for descriptions too, and ends its streams when that changes', async () => {
    let methods = ['Subscribe.slots'];
    const server = await start({ callRulesOf: () => compileCallRules('k1', { methods }) });
    const client = rawClient(server.port);
    const stream = subscribe(client);
    await new Promise((resolve) => stream.once('metadata', resolve));
    expect(await endOf(subscribe(client, { topic: 'blocks' }))).toMatchObject({
      status: 'PERMISSION_DENIED',
      error: 'apiKeyMethodRefused',
      details: 'API key not allowed to call Subscribe.blocks; it is allowed: Subscribe.slots',
    });
    const refused = await new Promise<ServiceError | null>((resolve) => {
      client.listTopics({}, metadataOf(), (thrown) => resolve(thrown));
    });
    expect(refused?.details).toContain('not allowed to call ListTopics');
    methods = ['read', 'send'];
    expect(await endOf(stream)).toMatchObject({ error: 'apiKeyMethodRefused' });
    methods = ['subscribe'];
    const again = subscribe(client, { topic: 'blocks' });
    await new Promise((resolve) => again.once('metadata', resolve));
  });

  it('for other networks is refused by every call', async () => {
    const server = await start();
    const checkSource = compileRules({ networks: ['solana-mainnet'] });
    server.keys.set('ks_key_test', { kind: 'valid', keyId: 'k1', accountId: 'a1', checkSource });
    const wanted = { status: 'PERMISSION_DENIED', error: 'apiKeyNetworkRefused' };
    expect(await endOf(subscribe(rawClient(server.port)))).toMatchObject(wanted);
    expect(
      await endOf(subscribe(rawClient(server.port), {}, { 'x-network': 'solana-mainnet' })),
    ).toMatchObject(wanted);
  });

  it('that is revoked later ends its streams, with their position', async () => {
    const node = createScriptedLedger(100);
    const server = await start({ node });
    const stream = subscribe(rawClient(server.port));
    await new Promise((resolve) => stream.once('metadata', resolve));
    node.grow(101);
    await take(stream, 1);
    server.keys.set('ks_key_test', { kind: 'revoked', keyId: 'k1', accountId: 'a1' });
    const { error, status, trailer } = await endOf(stream);
    expect({ error, status }).toEqual({ error: 'apiKeyRevoked', status: 'UNAUTHENTICATED' });
    expect(text(trailer, 'x-resume-slot')).toBe('101');
  });
});

describe('a subscription', () => {
  it('to an unknown topic is refused, and the known ones are listed', async () => {
    const server = await start();
    const ending = await endOf(subscribe(rawClient(server.port), { topic: 'Slots' }));
    expect(ending).toMatchObject({ status: 'NOT_FOUND', error: 'topicUnknown' });
    expect(ending.details).toBe(
      `There is no topic Slots; expected one of ${Object.keys(TOPICS).sort().join(', ')}`,
    );
    expect(server.counted).toMatchObject([{ method: 'Subscribe', outcome: 'callerError' }]);
  });

  it('does not repeat a name that is as long as a book', async () => {
    const ending = await endOf(subscribe(rawClient((await start()).port), { topic: 'x'.repeat(10_000) }));
    expect(ending.details.length).toBeLessThan(300);
  });

  it('on an unknown network is refused, and the known ones are listed', async () => {
    const ending = await endOf(subscribe(rawClient((await start()).port), {}, { 'x-network': 'solana-x' }));
    expect(ending).toMatchObject({ status: 'NOT_FOUND', error: 'networkUnknown' });
    expect(ending.details).toContain('solana-localnet');
  });

  it('in an unknown format is refused', async () => {
    const ending = await endOf(subscribe(rawClient((await start()).port), { format: 2 as never }));
    expect(ending).toMatchObject({ status: 'INVALID_ARGUMENT', error: 'streamFormatUnknown' });
  });

  it.each(['-1', 'x', '1.5', '18446744073709551616', '1, 2'])(
    'that resumes after %j is refused',
    async (position) => {
      const ending = await endOf(
        subscribe(rawClient((await start()).port), {}, { 'x-resume-slot': position }),
      );
      expect(ending).toMatchObject({ status: 'INVALID_ARGUMENT', error: 'resumeSlotInvalid' });
    },
  );

  it('that resumes after what is gone is told the oldest position, as metadata too', async () => {
    const node = createScriptedLedger(100);
    node.grow(101, 102);
    node.purgeBelow(101);
    const client = rawClient((await start({ node })).port);
    const ending = await endOf(subscribe(client, {}, { 'x-resume-slot': '50' }));
    expect(ending).toMatchObject({ status: 'OUT_OF_RANGE', error: 'resumeSlotGone' });
    expect(text(ending.trailer, 'x-oldest-slot')).toBe('100');
    const stream = subscribe(client, {}, { 'x-resume-slot': '100' });
    expect((await take(stream, 2)).map(({ slot }) => slot)).toEqual([101n, 102n]);
  });

  it('ahead of the ledger is refused', async () => {
    const client = rawClient((await start()).port);
    const ending = await endOf(subscribe(client, {}, { 'x-resume-slot': '18446744073709551615' }));
    expect(ending).toMatchObject({ status: 'OUT_OF_RANGE', error: 'resumeSlotAhead' });
  });

  it('is refused as unavailable while no ledger node can be reached', async () => {
    const node = createScriptedLedger(100);
    node.isLost = true;
    const ending = await endOf(subscribe(rawClient((await start({ node })).port)));
    expect(ending).toMatchObject({ status: 'UNAVAILABLE', error: 'upstreamUnavailable' });
  });

  it('beyond what a plan allows is refused, with the time to wait', async () => {
    const plan = { name: 'tiny', requestsPerSecond: 1, burst: 2 };
    const server = await start({ plan });
    const client = rawClient(server.port);
    for (let call = 0; call < 2; call++) await endOf(subscribe(client, { topic: 'none' }));
    const ending = await endOf(subscribe(client));
    expect(ending).toMatchObject({ status: 'RESOURCE_EXHAUSTED', error: 'rateLimited' });
    expect(Number(text(ending.trailer, 'retry-after'))).toBeGreaterThan(0);
    expect(server.counted.at(-1)).toMatchObject({ method: 'Subscribe', outcome: 'refused' });
  });

  it('that is refused, or ended by the server, leaves its place to the next one', async () => {
    const node = createScriptedLedger(100);
    node.purgeBelow(100);
    const server = await start({ node, maxStreamsPerKey: 1 });
    const client = rawClient(server.port);
    for (let round = 0; round < 3; round++) {
      const refused = await endOf(subscribe(client, {}, { 'x-resume-slot': '5' }));
      expect(refused.error).toBe('resumeSlotGone');
      const stream = subscribe(client);
      await new Promise((resolve) => stream.once('metadata', resolve));
      server.keys.set('ks_key_test', { kind: 'revoked', keyId: 'k1', accountId: 'a1' });
      expect((await endOf(stream)).error).toBe('apiKeyRevoked');
      server.keys.set('ks_key_test', { kind: 'valid', keyId: 'k1', accountId: 'a1' });
    }
  });

  it('is refused in the middle of a replay that the plan does not allow, and continues from there', async () => {
    const node = createScriptedLedger(1);
    node.grow(...Array.from({ length: 30 }, (_, index) => index + 2));
    const plan = { name: 'small', requestsPerSecond: 1, burst: 1 + 10 * METHODS.getBlock.cost };
    const server = await start({ node, plan });
    const stream = subscribe(rawClient(server.port), {}, { 'x-resume-slot': '1' });
    const ended = new Promise<ServiceError>((resolve) => stream.once('error', resolve));
    stream.resume();
    const { error, trailer } = endingOf(await ended);
    expect([error, text(trailer, 'x-resume-slot')]).toEqual(['rateLimited', '11']);
    const replayed = server.counted.filter(({ method }) => method === 'Subscribe.replay');
    expect(replayed.map(({ outcome }) => outcome)).toEqual([...Array(10).fill('ok'), 'refused']);
  });

  it('beyond the streams of a key is refused until one of them ends; other keys are not touched', async () => {
    const server = await start({ maxStreamsPerKey: 2 });
    const client = rawClient(server.port);
    const open = [subscribe(client), subscribe(client)];
    await Promise.all(open.map((stream) => new Promise((resolve) => stream.once('metadata', resolve))));
    expect(await endOf(subscribe(client))).toMatchObject({
      status: 'RESOURCE_EXHAUSTED',
      error: 'tooManyStreams',
    });
    const other = subscribe(client, {}, { 'x-api-key': 'ks_key_other' });
    await new Promise((resolve) => other.once('metadata', resolve));
    open[0]?.on('error', () => undefined);
    open[0]?.cancel();
    await eventually('the place is free', () => server.standing().streams === 2 || undefined);
    const next = subscribe(client);
    await new Promise((resolve) => next.once('metadata', resolve));
  });
});

describe('wallet-activity', () => {
  const valid = (accountId: string, scopes: readonly string[]): TokenFinding =>
    ({ kind: 'valid', tokenId: 't', accountId, scopes: new Set(scopes) }) as TokenFinding;
  const rows: readonly (readonly [string, string, TokenFinding, string, string])[] = [
    ['without a token', '', { kind: 'unknown' }, 'UNAUTHENTICATED', 'tokenMissing'],
    ['with another scheme', `Basic ${TOKEN}`, { kind: 'unknown' }, 'UNAUTHENTICATED', 'tokenMissing'],
    ['with an unknown token', `Bearer ${TOKEN}`, { kind: 'unknown' }, 'UNAUTHENTICATED', 'tokenUnknown'],
    ['with an API key', 'Bearer ks_key_test', { kind: 'unknown' }, 'UNAUTHENTICATED', 'apiKeyAsToken'],
    [
      'with a revoked token',
      `Bearer ${TOKEN}`,
      { kind: 'revoked', tokenId: 't', accountId: 'a' },
      'UNAUTHENTICATED',
      'tokenRevoked',
    ],
    [
      'with an expired token',
      `Bearer ${TOKEN}`,
      { kind: 'expired', tokenId: 't', accountId: 'a' },
      'UNAUTHENTICATED',
      'tokenExpired',
    ],
    [
      'without the scope',
      `Bearer ${TOKEN}`,
      valid('a1', ['wallets:sign']),
      'PERMISSION_DENIED',
      'scopeMissing',
    ],
    [
      'with the token of another account',
      `Bearer ${TOKEN}`,
      valid('a2', ['wallets:read']),
      'PERMISSION_DENIED',
      'tokenOfOtherAccount',
    ],
  ];
  it.each(rows)('%s is refused', async (_, authorization, finding, status, error) => {
    const server = await start({ findToken: () => finding });
    const request = { topic: 'wallet-activity' };
    const stream = subscribe(rawClient(server.port), request, { authorization });
    expect(await endOf(stream)).toMatchObject({ status, error });
    const { tokenId, accountId } = { tokenId: undefined, accountId: undefined, ...finding };
    const holder = tokenId === undefined ? undefined : { tokenId, accountId };
    expect(server.refused).toEqual([{ code: error, holder }]);
  });

  it('ends when its token is revoked', async () => {
    let finding = valid('a1', ['wallets:read']);
    const client = rawClient((await start({ findToken: () => finding })).port);
    const stream = subscribe(client, { topic: 'wallet-activity' }, { authorization: `Bearer ${TOKEN}` });
    await new Promise((resolve) => stream.once('metadata', resolve));
    finding = { kind: 'revoked', tokenId: 't', accountId: 'a' };
    expect(await endOf(stream)).toMatchObject({ status: 'UNAUTHENTICATED', error: 'tokenRevoked' });
  });
});

it('GetTopicSchema of an unknown topic is refused', async () => {
  const client = rawClient((await start()).port);
  const thrown = await new Promise<ServiceError | null>((resolve) =>
    client.getTopicSchema({ topic: '' }, metadataOf(), (error) => resolve(error)),
  );
  expect(endingOf(thrown as ServiceError)).toMatchObject({ status: 'NOT_FOUND', error: 'topicUnknown' });
});

it('an error carries google.rpc.ErrorInfo', async () => {
  const { trailer, details } = await endOf(subscribe(rawClient((await start()).port), { topic: 'x' }));
  const [status] = trailer.get('grpc-status-details-bin');
  const fields = readFields(status as Buffer);
  expect([fields.get(1), String(fields.get(2))]).toEqual([5, details]);
  const any = readFields(fields.get(3) as Uint8Array);
  expect(Buffer.from(any.get(1) as Uint8Array).toString()).toBe('type.googleapis.com/google.rpc.ErrorInfo');
  const info = readFields(any.get(2) as Uint8Array);
  expect([1, 2].map((field) => Buffer.from(info.get(field) as Uint8Array).toString())).toEqual([
    'TOPIC_UNKNOWN',
    'keyslot',
  ]);
});

it('a request that is no message, or too large, ends its call only', async () => {
  const server = await start();
  const client = rawClient(server.port);
  for (const characters of [100_000, 4_000_000]) {
    const topic = 'x'.repeat(characters);
    expect((await endOf(subscribe(client, { topic }))).status).toBe('RESOURCE_EXHAUSTED');
  }
  const ending = await new Promise<ServiceError | null>((resolve) => {
    client.makeUnaryRequest(
      '/keyslot.stream.v1.StreamService/GetTopicSchema',
      () => Buffer.from([0xff, 0xff, 0xff]),
      (bytes) => bytes,
      null,
      metadataOf(),
      (error) => resolve(error),
    );
  });
  expect(endingOf(ending as ServiceError).status).toBe('INTERNAL');
  const stream = subscribe(client);
  await new Promise((resolve) => stream.once('metadata', resolve));
});

/** The last value of each field of a message: a number, or bytes. */
function readFields(bytes: Uint8Array): ReadonlyMap<number, number | Uint8Array> {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, number | Uint8Array>();
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    fields.set(field, wireType === 0 ? reader.int32() : reader.bytes());
  }
  return fields;
}

it('a topic that is cut in the middle of a character ends its call, and not the server', async () => {
  const client = rawClient((await start()).port);
  const topic = `${'a'.repeat(99)}😀b`;
  const thrown = await new Promise<ServiceError | null>((resolve) =>
    client.getTopicSchema({ topic }, metadataOf(), (error) => resolve(error)),
  );
  expect(endingOf(thrown as ServiceError)).toMatchObject({ status: 'NOT_FOUND', error: 'topicUnknown' });
  expect(await endOf(subscribe(client, { topic }))).toMatchObject({ error: 'topicUnknown' });
});
