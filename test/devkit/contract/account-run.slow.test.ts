import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { useContractCommand } from './use-contract-command.ts';

const { contract, running } = useContractCommand();

const KEY_ID = '7e8f1c1e-0000-4000-8000-000000000001';

type Operation = {
  readonly operation: string;
  readonly cases: readonly { readonly name: string; readonly failures: readonly string[] }[];
};

/** A service that makes keys and does nothing else. @returns its address and the requests that it gets. */
async function startHalfService() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const makesKey = request.method === 'POST' && request.url === '/account/v1/keys';
    response.writeHead(makesKey ? 201 : 500, { 'content-type': 'application/json' });
    response.end(makesKey ? JSON.stringify({ key_id: KEY_ID }) : '{}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  running.push({ stop: () => new Promise((done) => server.close(() => done())) });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

test('a key that the run has made and cannot revoke is named in the report', async () => {
  const { url, asked } = await startHalfService();
  const args = ['--url', url, '--token', 'any', '--account', '--allow-writes', '--json'];
  const { ended, stdout } = await contract(...args);
  expect(ended).toBe('exit code 1');
  const { account } = JSON.parse(stdout) as { readonly account: readonly Operation[] };
  const left = account.flatMap(({ operation, cases }) =>
    cases.filter(({ name }) => name === 'what the run has made').map((item) => [operation, item]),
  );
  expect(left).toEqual([['revokeKey', expect.objectContaining({ kind: 'example', outcome: 'differed' })]]);
  expect(JSON.stringify(left)).toContain(`${KEY_ID}: the run could not prepare it: DELETE /account/v1/keys`);
  expect(asked).toContain(`DELETE /account/v1/keys/${KEY_ID}`);
});

test('a key that a server makes where it has to refuse is revoked, also without leave to write', async () => {
  const { url, asked } = await startHalfService();
  const { stdout } = await contract('--url', url, '--token', 'any', '--account', '--json');
  expect(stdout).toContain('it writes (--allow-writes)');
  expect(asked).toContain(`DELETE /account/v1/keys/${KEY_ID}`);
});
