import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { startConnections } from '../../src/serve/start-connections.ts';

/** The lines that the start logs, and the bound that holds. */
async function start(env: Readonly<Record<string, string>>, descriptors: number | undefined) {
  const lines: unknown[] = [];
  const note = (level: string) => (_fields: unknown, line: unknown) => void lines.push(`${level}: ${line}`);
  const log = { warn: note('warn'), debug: note('debug') };
  const registry = new Registry();
  const connections = startConnections({
    config: loadConfig({ env }),
    registry,
    log: log as never,
    descriptors,
  });
  onTestFinished(() => connections.close());
  const limit = /^keyslot_connections_limit (\d+)$/m.exec(await registry.metrics())?.[1];
  return { lines, limit: Number(limit) };
}

test('bounds that the limit of open files holds are kept, without a word', async () => {
  expect(await start({}, 1_000_000)).toEqual({ lines: [], limit: 25_000 });
  expect(await start({ KEYSLOT_MAX_CONNECTIONS: '640' }, 1_024)).toEqual({ lines: [], limit: 640 });
});

test('bounds that it does not hold are lowered, and one line says from what to what and why', async () => {
  const { lines, limit } = await start({ KEYSLOT_MAX_CONNECTIONS: '641' }, 1_024);
  expect(limit).toBe(640);
  expect(lines).toEqual([
    'warn: http.max_connections (KEYSLOT_MAX_CONNECTIONS) is lowered from 641 to 640: the process may open 1024 files, of which 384 are kept for the store, the signer and the ledger nodes; raise the limit of open files (ulimit -n)',
  ]);
});

test('the default is lowered without a warning', async () => {
  const { lines } = await start({}, 1_024);
  expect(lines).toEqual([expect.stringMatching(/^debug: .* is lowered from 25000 to 640: /)]);
});

test('connections to ledger nodes keep half of the files at most', async () => {
  expect((await start({ KEYSLOT_UPSTREAM_CONNECTIONS: '4096' }, 4_096)).limit).toBe(1_792);
});
