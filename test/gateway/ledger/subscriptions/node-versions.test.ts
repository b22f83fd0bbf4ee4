import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { openSocket, type SocketClient } from '../../../support/socket-client.ts';
import { useVersionedNodes, type Versions } from '../../../server/use-versioned-nodes.ts';
import { startVersionedNode, type VersionedNode } from '../../../server/versioned-node.ts';
import { ADDRESS, OTHER, resultOf } from './use-stage.ts';

const { start, startBefore } = useVersionedNodes();

const DATA = Buffer.from('0123456789');
const SLICE = { offset: 2, length: 3 };
const SLICED = [Buffer.from('234').toString('base64'), 'base64'];
const WHOLE = [DATA.toString('base64'), 'base64'];
const PARSED = { program: 'nonce', parsed: { type: 'initialized' }, space: 80 };
/** The account first, as nodes write it, with a lamports value that no double holds. */
const accountText = (data: unknown): string =>
  `{"data":${JSON.stringify(data)},"executable":false,"lamports":18446744073709551615,"owner":"${OTHER}","rentEpoch":18446744073709551615,"space":10}`;
const RESULTS = {
  accountSubscribe: (data: unknown) => `{"context":{"slot":7},"value":${accountText(data)}}`,
  programSubscribe: (data: unknown) =>
    `{"context":{"slot":7},"value":{"account":${accountText(data)},"pubkey":"${ADDRESS}"}}`,
} as const;
const METHODS = Object.keys(RESULTS) as readonly (keyof typeof RESULTS)[];

/** Notifies of the data with the text of a node, byte for byte. */
function notify(node: VersionedNode, method: keyof typeof RESULTS, data: unknown): void {
  const [id] = node.subscriptions(method);
  const name = method.replace('Subscribe', 'Notification');
  node.sendText(
    `{"jsonrpc":"2.0","method":"${name}","params":{"result":${RESULTS[method](data)},"subscription":${id}}}`,
  );
}

async function open({ gateway }: Versions): Promise<SocketClient> {
  return openSocket(gateway.wsUrl);
}

/** The notification that the client receives for an account with this data. */
async function told(client: SocketClient, node: VersionedNode, method: keyof typeof RESULTS, data: unknown) {
  notify(node, method, data);
  await client.next();
  return client.texts.at(-1);
}

const only = ({ nodes }: Versions): VersionedNode => {
  const [node] = nodes;
  if (node === undefined) throw new Error('no node');
  return node;
};

describe.each(METHODS)('dataSlice of %s', (method) => {
  const text = (data: unknown, id: unknown): string =>
    `{"jsonrpc":"2.0","method":"${method.replace('Subscribe', 'Notification')}","params":{"result":${RESULTS[method](data)},"subscription":${id}}}`;

  test.each(['4.2.0', '4.3.9'])(
    'Agave %s ignores it: the gateway slices base-64 itself, and nothing else changes',
    async (version) => {
      const versions = await start([version]);
      const client = await open(versions);
      const { result } = await client.call(method, [ADDRESS, { encoding: 'base64', dataSlice: SLICE }]);
      expect(await told(client, only(versions), method, WHOLE)).toBe(text(SLICED, result));
    },
  );

  test.each([
    [{ offset: 0, length: 0 }, ''],
    [{ offset: 9, length: 5 }, '9'],
    [{ offset: 10, length: 1 }, ''],
    [{ offset: 1000, length: 1 }, ''],
    [{ offset: 0, length: Number.MAX_SAFE_INTEGER }, '0123456789'],
  ])('%j leaves %j, as a newer node does', async (dataSlice, left) => {
    const versions = await start(['4.2.0']);
    const client = await open(versions);
    const { result } = await client.call(method, [ADDRESS, { encoding: 'base64', dataSlice }]);
    const data = [Buffer.from(left).toString('base64'), 'base64'];
    expect(await told(client, only(versions), method, WHOLE)).toBe(text(data, result));
  });

  test('what is parsed has nothing to slice; what could not be parsed is sliced', async () => {
    const versions = await start(['4.2.0']);
    const client = await open(versions);
    const { result } = await client.call(method, [ADDRESS, { encoding: 'jsonParsed', dataSlice: SLICE }]);
    expect(await told(client, only(versions), method, PARSED)).toBe(text(PARSED, result));
    expect(await told(client, only(versions), method, WHOLE)).toBe(text(SLICED, result));
  });

  test.each(['base58', 'base64+zstd', undefined])(
    'with encoding %s it is refused by name, and the node is not left with a subscription',
    async (encoding) => {
      const versions = await start(['4.2.0']);
      const client = await open(versions);
      const { error } = await client.call(method, [ADDRESS, { encoding, dataSlice: SLICE }]);
      expect(error).toEqual({
        code: -32602,
        message:
          'Invalid params: config.dataSlice requires node version 4.4 or newer; the nodes of this network run 4.2.0',
        data: { member: 'config.dataSlice', needed: '4.4', versions: '4.2.0' },
      });
      expect(only(versions).subscriptions(method)).toEqual([]);
      expect((await client.call(method, [ADDRESS, { encoding }])).result).toEqual(expect.any(Number));
    },
  );

  test('Agave 4.4 is sent it, and what it answers is not sliced again', async () => {
    const versions = await start(['4.4.0']);
    const client = await open(versions);
    const params = [ADDRESS, { encoding: 'base64', dataSlice: SLICE }];
    const { result } = await client.call(method, params);
    const call = only(versions).calls.find((each) => each.method === method);
    expect(call?.params).toEqual(params);
    expect(await told(client, only(versions), method, SLICED)).toBe(text(SLICED, result));
  });

  test('a node of an unknown client is sent it unchanged, its answer is not touched, and it is counted', async () => {
    const versions = await start([{ 'solana-core': '1.2.1' }]);
    const client = await open(versions);
    const { result } = await client.call(method, [ADDRESS, { encoding: 'base58', dataSlice: SLICE }]);
    expect(await told(client, only(versions), method, WHOLE)).toBe(text(WHOLE, result));
    expect(await versions.gateway.metrics.registry.metrics()).toContain(
      `keyslot_unordered_members_total{network="solana-localnet",method="${method}",member="config.dataSlice"} 1`,
    );
  });

  test('clients with and without a slice are told each their own', async () => {
    const versions = await start(['4.2.0']);
    const [sliced, whole] = [await open(versions), await open(versions)];
    const one = await sliced.call(method, [ADDRESS, { encoding: 'base64', dataSlice: SLICE }]);
    const other = await whole.call(method, [ADDRESS, { encoding: 'base64' }]);
    expect(one.result).not.toBe(other.result);
    const node = only(versions);
    expect(node.subscriptions(method)).toHaveLength(2);
    const name = method.replace('Subscribe', 'Notification');
    for (const id of node.subscriptions(method))
      node.sendText(
        `{"jsonrpc":"2.0","method":"${name}","params":{"result":${RESULTS[method](WHOLE)},"subscription":${id}}}`,
      );
    await Promise.all([sliced.next(), whole.next()]);
    expect(sliced.texts.at(-1)).toBe(text(SLICED, one.result));
    expect(whole.texts.at(-1)).toBe(text(WHOLE, other.result));
  });
});

describe('a network of nodes of several versions', () => {
  test('subscriptions are made at the newest', async () => {
    const { gateway, nodes } = await start(['4.2.0', '4.4.0', '4.3.0']);
    const client = await openSocket(gateway.wsUrl);
    await client.call('accountSubscribe', [ADDRESS, { encoding: 'base58', dataSlice: SLICE }]);
    expect(nodes.map((node) => node.subscriptions('accountSubscribe').length)).toEqual([0, 1, 0]);
  });

  test('where the newest is lost, an older one serves on, and the gateway slices from there', async () => {
    const [old, has] = await Promise.all([startVersionedNode('4.2.0'), startVersionedNode('4.4.0')]);
    const { gateway } = await startBefore([old, has]);
    const client = await openSocket(gateway.wsUrl);
    const params = [ADDRESS, { encoding: 'base64', dataSlice: SLICE }];
    const { result } = await client.call('accountSubscribe', params);
    const value = { data: WHOLE, executable: false, lamports: 5, owner: OTHER, rentEpoch: 0, space: 10 };
    for (const node of [old, has]) node.answers.getAccountInfo = { context: { slot: 1_000 }, value };
    // A gap ends where the node is: it has to announce a slot.
    old.isAnnouncing = true;
    await has.close();
    await eventually(
      'the older one has it',
      () => old.subscriptions('accountSubscribe').length === 1 || undefined,
    );
    old.notify('accountSubscribe', { context: { slot: 1_001 }, value: { ...value, lamports: 6 } });
    const message = await eventually('it is told', async () => {
      const next = await client.next();
      const told = resultOf(next) as { context?: { slot: number } } | undefined;
      return told?.context?.slot === 1_001 ? next : undefined;
    });
    expect(message).toMatchObject({
      method: 'accountNotification',
      params: { subscription: result, result: { value: { data: SLICED, lamports: 6 } } },
    });
  });
});
