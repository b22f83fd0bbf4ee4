import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { TOKEN_2022_PROGRAM, UPGRADEABLE_LOADER } from '../../../src/localnet/addresses/program-ids.ts';
import { Runtime } from '../../../src/localnet/bank/runtime.ts';
import { programDataAddress } from '../../../src/localnet/transaction/loaded-size.ts';
import { type NodeProcess, startNode } from '../../support/node-process.ts';

const MAIN = 'src/localnet/main.ts';

async function started(
  ...options: readonly string[]
): Promise<{ readonly node: NodeProcess; readonly url: string }> {
  const node = startNode([MAIN, '--rpc-port', '0', '--slot-ms', '20', ...options], {});
  const url = await eventually('the address is printed', () => node.stdout().match(/RPC +(http:\S+)/)?.[1]);
  return { node, url };
}

async function ask(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const { result, error } = (await response.json()) as {
    readonly result?: unknown;
    readonly error?: unknown;
  };
  return error ?? result;
}

test('--cheat-codes serves them: the clock of the process stands, and code larger than any request of a validator is taken', async () => {
  const { node, url } = await started('--cheat-codes');
  const { slot, timestamp } = (await ask(url, 'localnet_pause')) as { slot: number; timestamp: number };
  const mined = await ask(url, 'localnet_mine', 100);
  expect(mined).toMatchObject({ slot: slot + 100, isPaused: true });
  expect(await ask(url, 'getSlot', { commitment: 'processed' })).toBe(slot + 100);
  expect((mined as { timestamp: number }).timestamp - timestamp).toBeGreaterThanOrEqual(1);
  const program = Keypair.generate().publicKey.toBase58();
  expect(await ask(url, 'localnet_setProgram', program, token2022())).toBeNull();
  const { value } = (await ask(url, 'getAccountInfo', program, {
    commitment: 'processed',
    encoding: 'base64',
  })) as { value: unknown };
  expect(value).toMatchObject({ executable: true, owner: UPGRADEABLE_LOADER });
  await ask(url, 'localnet_resume');
  await eventually('slots pass again', async () =>
    Number(await ask(url, 'getSlot', { commitment: 'processed' })) > slot + 100 ? true : undefined,
  );
  await node.stop();
  expect([node.ended(), node.stderr()]).toEqual(['exit code 0', '']);
});

test('without it they are no methods', async () => {
  const { node, url } = await started();
  expect(await ask(url, 'localnet_pause')).toMatchObject({ code: -32601 });
  await node.stop();
});

/** The code of a program that has hundreds of kilobytes. */
function token2022(): string {
  const runtime = new Runtime({ lamportsPerByte: 5_080n });
  const program = runtime.read(TOKEN_2022_PROGRAM);
  const code = runtime.read(programDataAddress(program) ?? '')?.data.subarray(45) ?? program?.data;
  expect(code?.length).toBeGreaterThan(200_000);
  return Buffer.from(code ?? []).toString('base64');
}
