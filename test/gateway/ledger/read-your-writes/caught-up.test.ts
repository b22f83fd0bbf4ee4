import { expect, test } from 'vitest';
import { serviceError } from '../../../../src/core/service-error.ts';
import type { ChainNode } from '../../../lab/nodes/chain-node.ts';
import { inTime, pass, useChainTime } from '../../nodes/pool/chain-pool.ts';
import { startChainGateway, WAIT_MS } from './chain-gateway.ts';

useChainTime();

const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
const AT_PROCESSED = { commitment: 'processed' };
const PATIENCE_MS = 3 * WAIT_MS;

/** One node is taken to be where the chain is, and is a slot behind; the other hangs. */
async function besideOneThatHangs() {
  const gateway = await startChainGateway({ nodes: 2, patienceMs: PATIENCE_MS });
  const [behind, hanging] = gateway.nodes as [ChainNode, ChainNode];
  await pass(1_100);
  gateway.readYourWrites.noteSlot('processed', hanging.slot(), { accountId: 'a', keyId: 'k1' });
  behind.lag = 3;
  hanging.fault = 'hangs';
  return { ...gateway, behind, hanging };
}

test('a node that was behind is asked again when it has caught up, while the other one takes too long', async () => {
  const { callOwn } = await besideOneThatHangs();
  const answer = callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  for (let passed = 0; passed < 2 * PATIENCE_MS; passed += 100) await pass(100);
  expect(await Promise.race([answer, 'none'])).toHaveProperty('result.value');
});

test('the time in which another node gives no answer is not time that the call has waited for one', async () => {
  const { callOwn, behind, hanging } = await besideOneThatHangs();
  behind.lag = 13;
  const broken = Promise.withResolvers<never>();
  Object.assign(hanging, { send: () => broken.promise });
  const answer = callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  for (let passed = 0; passed < 2 * WAIT_MS; passed += 100) await pass(100);
  broken.reject(serviceError('upstreamBroken'));
  await pass(100);
  behind.lag = 0;
  expect(await inTime(answer)).toHaveProperty('result.value');
});

test('where the node that is ahead is lost, the call waits for one that is behind', async () => {
  const { callOwn, nodes, readYourWrites } = await startChainGateway({ nodes: 2 });
  const [ahead, behind] = nodes as [ChainNode, ChainNode];
  behind.lag = 3;
  await pass(1_100);
  readYourWrites.noteSlot('processed', ahead.slot(), { accountId: 'a', keyId: 'k1' });
  ahead.fault = 'refuses';
  const answer = callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  for (let passed = 0; passed < WAIT_MS / 2; passed += 100) await pass(100);
  behind.lag = 0;
  expect(await inTime(answer)).toHaveProperty('result.value');
});

test.each(['internal', 'busy', 'breaks'] as const)(
  'where the node that is ahead fails it (%s), the call waits for one that is behind',
  async (fault) => {
    const { callOwn, nodes, readYourWrites } = await startChainGateway({ nodes: 2 });
    const [ahead, behind] = nodes as [ChainNode, ChainNode];
    behind.lag = 3;
    await pass(1_100);
    readYourWrites.noteSlot('processed', ahead.slot(), { accountId: 'a', keyId: 'k1' });
    ahead.fault = fault;
    expect(await inTime(callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]))).toHaveProperty('result.value');
    // One that does not catch up in time is not waited for longer.
    behind.lag = 1_000;
    readYourWrites.noteSlot('processed', ahead.slot(), { accountId: 'a', keyId: 'k1' });
    expect(await inTime(callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]))).toHaveProperty('error');
  },
);

test('where no node answers any more, a reader is told that, not that they are behind', async () => {
  const { callOwn, nodes, readYourWrites } = await startChainGateway({ nodes: 2 });
  await pass(1_100);
  readYourWrites.noteSlot('processed', (nodes[0]?.slot() ?? 0) + 1, { accountId: 'a', keyId: 'k1' });
  for (const node of nodes) node.fault = 'refuses';
  for (const _ of ['the nodes are not known to be down yet', 'they are']) {
    const answer = callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
    for (let passed = 0; passed < 3 * WAIT_MS; passed += 100) await pass(100);
    expect(await inTime(answer)).toHaveProperty('error.code', 'upstreamUnavailable');
  }
});

test('a minContextSlot that the chain has reached since the nodes were asked is waited for', async () => {
  const { callOwn, nodes } = await startChainGateway({ nodes: 2 });
  await pass(1_010);
  for (const node of nodes) node.fault = 'hangs';
  await pass(3_000);
  const minContextSlot = (nodes[0]?.slot() ?? 0) + 2;
  for (const node of nodes) node.fault = undefined;
  const answer = callOwn('k1', 'getBalance', [ADDRESS, { ...AT_PROCESSED, minContextSlot }]);
  expect(await inTime(answer)).toHaveProperty('result.value');
});
