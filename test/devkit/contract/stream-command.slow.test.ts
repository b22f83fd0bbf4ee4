import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERRORS } from '../../../generated/errors.ts';
import { TOPICS } from '../../../generated/stream/topics.ts';
import { type RunningKeyslot, startKeyslot, startMock } from '../../support/keyslot.ts';
import { createToken } from '../../support/wallet-account.ts';
import { useContractCommand } from './use-contract-command.ts';

const { contract, contractAlone } = useContractCommand();

type Json = {
  readonly isFulfilled: boolean;
  readonly calls: readonly {
    readonly call: string;
    readonly verdict: string;
    readonly held: number;
    readonly cases: readonly {
      readonly name: string;
      readonly outcome: string;
      readonly failures: readonly string[];
    }[];
    readonly reasons: readonly { readonly reason: string; readonly count: number }[];
  }[];
};

let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: '50' } });
});
afterAll(() => server?.stop());

test.concurrent('our server keeps to the contract of the stream service, and every error that cannot be provoked says why', async () => {
  const transfers = setInterval(() => void airdrop(), 200);
  const { ended, stdout } = await contract('--grpc', server.grpcUrl, '--apikey', server.apiKey, '--json');
  clearInterval(transfers);
  const { isFulfilled, calls } = JSON.parse(stdout) as Json;
  expect(calls.map(({ call, verdict, cases }) => ({ call, verdict, cases }))).toEqual(
    ['Subscribe', 'ListTopics', 'GetTopicSchema'].map((call) => ({ call, verdict: 'holds', cases: [] })),
  );
  expect({ ended, isFulfilled }).toEqual({ ended: 'exit code 0', isFulfilled: true });
  const [subscribe] = calls;
  const leftOut = (subscribe?.reasons ?? []).reduce((sum, { count }) => sum + count, 0);
  const documented = Object.values(ERRORS).filter((error) => 'grpc' in error).length;
  // Both forms of every topic (those with a scope are left out, since they need a token), resuming, and the errors.
  expect((subscribe?.held ?? 0) + leftOut).toBe(2 * Object.keys(TOPICS).length + 1 + documented);
  expect(stdout).not.toContain(server.apiKey);
});

test.concurrent('a server that refuses nothing does not pass: the mock takes any key', async ({
  onTestFinished,
}) => {
  const mock = await startMock();
  onTestFinished(mock.stop);
  const { ended, stdout } = await contract('--grpc', mock.grpcUrl);
  expect(ended).toBe('exit code 1');
  expect(stdout).toMatch(/differs\s+ListTopics[\s\S]*apiKeyMissing\n\s+it was not refused/);
});

test.concurrent('a token of another account shows nothing of its wallets', async () => {
  const { token } = await createToken(server.dataDir, 'other');
  const { stdout } = await contract('--grpc', server.grpcUrl, '--apikey', server.apiKey, '--token', token);
  expect(stdout).toContain('tokenOfOtherAccount');
});

async function airdrop(): Promise<void> {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'requestAirdrop',
    params: [`${'1'.repeat(31)}2`, Date.now()],
  };
  const headers = { 'content-type': 'application/json' };
  await fetch(server.rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) });
}

test('a run that has streamed ends by itself', async () => {
  const { ended, stdout, stderr } = await contractAlone([
    '--grpc',
    server.grpcUrl,
    '--apikey',
    server.apiKey,
  ]);
  expect([ended, stderr]).toEqual(['exit code 0', '']);
  expect(stdout).toMatch(/holds\s+Subscribe/);
});
