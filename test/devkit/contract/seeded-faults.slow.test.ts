import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONTRACT } from '../../../generated/contract/ledger/contract.ts';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { LEDGER_ENV } from '../../support/test-ledger.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { type CaseResult, runContract } from '../../../src/devkit/contract/runner.ts';
import type { Scenario } from '../../../src/devkit/contract/scenario.ts';
import { freshValues } from '../../../src/devkit/contract/scenario/fresh-values.ts';
import { makeVersion1 } from '../../../src/devkit/contract/scenario/make-version-1.ts';
import { openWallet } from '../../../src/devkit/contract/scenario/wallet-session.ts';
import { replacing, rewriting, type SeededFault, withParams } from './seeded-fault.ts';
import { VERSION_1_FAULTS } from './version-1-faults.ts';

let server: RunningKeyslot;
let scenario: Scenario;

beforeAll(async () => {
  server = await startKeyslot({ env: LEDGER_ENV });
  const session = await openWallet(server);
  const wallet = session.wallet.publicKey.toBase58();
  const version1 = await makeVersion1(session, Keypair.generate().publicKey);
  const fixed: Readonly<Record<string, unknown>> = {
    ...version1,
    version1Slot: await confirm(server, version1.version1Signature),
    wallet,
    // An account whose data is too large for base-58.
    tokenAccount: 'SysvarS1otHashes111111111111111111111111111',
    recipient: wallet,
    transferSignature: session.airdropSignature,
  };
  const fresh = freshValues(session, session.wallet.publicKey.toBase58());
  scenario = { value: async (name) => fixed[name] ?? (await fresh[name]?.()) ?? wallet };
});

afterAll(async () => {
  await server?.stop();
});

const FAULTS: readonly SeededFault[] = [
  {
    title: 'a number sent as a string',
    method: 'getBalance',
    kind: 'example',
    reply: replacing(/"value":(\d+)/, '"value":"$1"'),
    noticed: /result\/value fails x-int/,
  },
  {
    title: 'a member left out',
    method: 'getLatestBlockhash',
    kind: 'example',
    reply: replacing(/,"lastValidBlockHeight":\d+/, ''),
    noticed: /result\/value fails required .*lastValidBlockHeight/,
  },
  {
    title: 'a member that no schema knows',
    method: 'getEpochInfo',
    kind: 'example',
    reply: replacing(/"absoluteSlot":/, '"extra":1,"absoluteSlot":'),
    noticed: /fails additionalProperties .*extra/,
  },
  {
    title: 'null where a value must be',
    method: 'getSlot',
    kind: 'example',
    reply: replacing(/"result":\d+/, '"result":null'),
    noticed: /result fails x-int/,
  },
  {
    title: 'a u64 printed as a double',
    method: 'getMultipleAccounts',
    kind: 'example',
    reply: replacing(/18446744073709551615/, '1.8446744073709552e19'),
    noticed: /rentEpoch fails x-int/,
  },
  {
    title: 'an integer printed with a fraction',
    method: 'getBalance',
    kind: 'example',
    reply: replacing(/"value":(\d+)/, '"value":$1.0'),
    noticed: /result\/value fails x-int/,
  },
  {
    title: 'a limit that lets one more through',
    method: 'getMultipleAccounts',
    kind: 'limit',
    request: withParams('getMultipleAccounts', ([keys, ...rest]) => [
      Array.isArray(keys) ? keys.slice(0, 100) : keys,
      ...rest,
    ]),
    noticed: /expected tooManyInputs \(-32602\), got a result/,
  },
  {
    title: 'a limit that stops one too early',
    method: 'getMultipleAccounts',
    kind: 'limit',
    request: withParams('getMultipleAccounts', ([keys, ...rest]) => [
      Array.isArray(keys) && keys.length === 100 ? [...keys, keys[0]] : keys,
      ...rest,
    ]),
    noticed: /refused at the limit/,
  },
  {
    title: 'another error code',
    method: 'getSignatureStatuses',
    kind: 'range',
    reply: replacing(/-32602/, '-32600'),
    noticed: /code is -32600, not -32602/,
  },
  {
    title: 'another error message',
    method: 'getSignatureStatuses',
    kind: 'limit',
    reply: replacing(/Too many inputs provided/, 'Too many inputs'),
    noticed: /message is "Too many inputs; max 256"/,
  },
  {
    title: 'error data with another number',
    method: 'getSignatureStatuses',
    kind: 'limit',
    reply: replacing(/"limit":256/, '"limit":255'),
    noticed: /data\.limit is 255, not 256/,
  },
  {
    title: 'an id of another type',
    method: 'getSlot',
    kind: 'example',
    reply: (text, { id }) =>
      text.replace(/"id":("[^"]*"|\d+)/, `"id":${typeof id === 'string' ? '0' : `"${id}"`}`),
    noticed: /id is "\d+", not \d+|id is 0, not "case-/,
  },
  {
    title: 'result and error in one answer',
    method: 'getSlot',
    kind: 'example',
    reply: replacing(/"result":/, '"error":{"code":0,"message":""},"result":'),
    noticed: /expected exactly one of result and error/,
  },
  {
    title: 'a method found whatever its letter case',
    method: 'getGenesisHash',
    kind: 'name-case',
    request: (request) => ({ ...request, method: 'getGenesisHash' }),
    noticed: /expected methodNotFound \(-32601\), got a result/,
  },
  {
    title: 'commitment processed let through',
    method: 'getSignaturesForAddress',
    kind: 'commitment',
    request: rewriting('"processed"', '"confirmed"'),
    noticed: /expected commitmentNotSupported \(-32602\), got/,
  },
  {
    title: 'options that exclude each other let through',
    method: 'simulateTransaction',
    kind: 'conflict',
    request: rewriting('"sigVerify":true', '"sigVerify":false'),
    noticed: /expected sigVerifyConflict|not "sigVerify may not be used with replaceRecentBlockhash"/,
  },
  {
    title: 'a result for params of a wrong type',
    method: 'getBlockHeight',
    kind: 'wrong-type',
    request: withParams('getBlockHeight', () => []),
    noticed: /expected invalidType \(-32602\), got a result/,
  },
  {
    title: 'a parameter too many let through',
    method: 'getHealth',
    kind: 'arity',
    request: withParams('getHealth', () => []),
    noticed: /expected noParamsExpected \(-32602\), got a result/,
  },
];

async function run(
  target: { readonly rpcUrl: string },
  { method, kind, named }: SeededFault,
): Promise<readonly CaseResult[]> {
  const cases = CONTRACT[method].cases.filter(
    (item) => (kind === undefined || item.kind === kind) && (named === undefined || named.test(item.name)),
  );
  return await runContract(target, cases, scenario);
}

const failuresOf = (results: readonly CaseResult[]): string =>
  results.flatMap(({ failures }) => failures).join('\n');

test.each([...FAULTS, ...VERSION_1_FAULTS])('the contract notices $title', async (fault) => {
  const proxy = await startFaultProxy(server, fault);
  try {
    expect(failuresOf(await run(proxy, fault))).toMatch(fault.noticed);
    expect(failuresOf(await run(server, fault)), 'without the fault').toBe('');
  } finally {
    await proxy.stop();
  }
});
