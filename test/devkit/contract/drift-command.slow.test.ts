import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningMock, startMock } from '../../support/keyslot.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { startScriptedSocket } from '../../support/scripted-socket.ts';
import { type Fault, startFaultProxy } from './fault-proxy.ts';
import { useContractCommand } from './use-contract-command.ts';

const directory = useNewDirectory();
const { contract, running } = useContractCommand();
let mock: RunningMock;

beforeAll(async () => {
  mock = await startMock();
});
afterAll(() => mock?.stop());

/** Answers as the mock does, as if the chain had gone on. */
const TOMORROW: Required<Pick<Fault, 'reply'>> = {
  reply: (text, { method, id }) => {
    if (method === 'getBlock') return text.replaceAll('"meta":{', '"meta":{"newMember":1,');
    if (method === 'getTransaction') return text.replace(/"slot":\d+,/, '$&"version":2,');
    if (method === 'getVersion') return text.replace(/"solana-core":"[^"]*"/, '"solana-core":"5.0.0"');
    const error = { code: -32095, message: 'Block time is sealed' };
    return method === 'getBlockTime' ? JSON.stringify({ jsonrpc: '2.0', id, error }) : text;
  },
};

type Report = {
  readonly drift: {
    readonly version?: string;
    readonly findings: readonly { readonly kind: string; readonly name: string; readonly count: number }[];
  };
};

test('what a server answers beyond the specification is listed behind the report, as text, JSON and in the JUnit file', async () => {
  const proxy = await startFaultProxy(mock, TOMORROW);
  running.push(proxy);
  const junit = join(directory(), 'junit.xml');
  const asJson = await contract('--url', proxy.rpcUrl, '--json', '--junit', junit);
  const { drift } = JSON.parse(asJson.stdout) as Report;
  expect(drift.version).toBe('5.0.0');
  expect(drift.findings.map(({ kind, name }) => `${kind} ${name}`).toSorted()).toEqual([
    'errorCode getBlockTime error -32095',
    'member getBlock.result.transactions[].meta.newMember',
    'version getTransaction.result.version 2',
  ]);
  expect(drift.findings.every(({ count }) => count > 0)).toBe(true);
  const block = drift.findings.find(({ kind }) => kind === 'member');

  const xml = await readFile(junit, 'utf8');
  expect(xml).toContain(
    '<testsuite name="not known to the specification" tests="0" failures="0" skipped="0">',
  );
  expect(xml).toContain('<property name="version" value="5.0.0"/>');
  expect(xml).toContain(`<property name="member ${block?.name}" value="${block?.count}"/>`);

  const { ended, stdout } = await contract('--url', proxy.rpcUrl);
  expect(ended).toBe('exit code 1');
  expect(stdout).toContain('not known to the specification (server version 5.0.0):\n');
  expect(stdout).toMatch(/^ +\d+ × getTransaction\.result\.version 2 \(version\)$/m);
  expect(stdout).toMatch(/^differs +getBlock /m);
  // A version is any number: the method still holds.
  expect(stdout).toMatch(/^holds +getTransaction /m);
});

test('where the specification knows everything the report says so, and the JUnit file has no such suite', async () => {
  const junit = join(directory(), 'junit.xml');
  const { stdout } = await contract('--url', mock.rpcUrl, '--junit', junit);
  expect(stdout).toMatch(
    /\nevery answer is covered by the specification \(server version \d+\.\d+\.\d+\)\n$/,
  );
  expect(await readFile(junit, 'utf8')).not.toContain('not known to the specification');
  const asJson = await contract('--url', mock.rpcUrl, '--json');
  expect((JSON.parse(asJson.stdout) as Report).drift.findings).toEqual([]);
});

test('notifications are looked at, and names that quote the key of the address are not shown', async () => {
  const socket = await startScriptedSocket();
  running.push({ stop: () => socket[Symbol.asyncDispose]() });
  socket.play(({ method }) => {
    if (method.endsWith('Unsubscribe')) return { result: true };
    if (method !== 'slotSubscribe') return { error: { code: -32601, message: 'Method not found' } };
    setImmediate(() => {
      socket.notify('shredNotification', 7, 1);
      socket.notify('slotNotification', 7, { slot: 5, parent: 4, root: 1, secretkey1: 1 });
    });
    return { result: 7 };
  });
  const wsUrl = socket.url.replace(/^http/, 'ws');
  const args = ['--url', mock.rpcUrl, '--ws-url', wsUrl, '--apikey', 'secretkey1', '--json'];
  const { stdout } = await contract(...args);
  const names = (JSON.parse(stdout) as Report).drift.findings.map(({ kind, name }) => `${kind} ${name}`);
  expect(names.toSorted()).toEqual([
    'member slotNotification.params.result.…',
    'notification shredNotification',
  ]);
  expect(stdout).not.toContain('secretkey1');
});
