import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openOwnMasterKeys } from '../../src/signer/hsm/soft/own-master-keys.ts';
import { createSealer } from '../../src/signer/hsm/soft/open-configured-soft.ts';
import { scanMemory } from '../signer/fixture/scan-memory.ts';
import { newDataDir } from '../signer/fixture/start-signer.ts';
import { eventually } from '../../src/core/eventually.ts';
import { startNode } from '../support/node-process.ts';
import { inHalves, patternsOf, type Secrets, secretsOfMaster } from './secrets-of.ts';

const NOT_LINUX = 'the memory of another process is read from /proc, which only Linux has';
const PLACES = [0, 1, 2].map((x) => ({ x, y: x }));

type Used = {
  readonly signerPid: number;
  readonly rows: readonly {
    readonly walletId: string;
    readonly accountId: string;
    readonly sealed: string;
  }[];
};

/** A gateway and its signer, which have made, derived, signed with and resealed keys; and all that these keys were made of, unsealed here. */
async function useKeys(turns: number) {
  const dataDir = newDataDir();
  const gateway = startNode(['test/signer/fixture/use-all-keys.ts', dataDir, String(turns)], {});
  onTestFinished(() => gateway.stop());
  const line = await eventually('the keys are used', () => {
    if (gateway.ended() !== undefined) throw new Error(gateway.stderr());
    return gateway.stdout().split('\n')[0] || undefined;
  });
  const { signerPid, rows } = JSON.parse(line) as Used;
  const masters = (await openOwnMasterKeys(join(dataDir, 'signer'), { isFirstStart: false })).keys();
  const sealer = createSealer();
  const secrets = rows.map(({ sealed, ...owner }): Secrets => {
    const row = { ...owner, sealed: Buffer.from(sealed, 'hex') };
    const opened = sealer.open(masters, row, (secret) => Buffer.from(secret));
    const found = opened.length === 64 ? secretsOfMaster(opened, PLACES) : { seed: opened };
    return Object.fromEntries(
      Object.entries(found).map(([name, secret]) => [`${owner.walletId}: ${name}`, secret]),
    );
  });
  return {
    gatewayPid: gateway.pid,
    signerPid,
    master: masters.current.key,
    secrets: Object.assign({}, ...secrets) as Secrets,
  };
}

const present = (counts: Readonly<Record<string, number>>): readonly string[] =>
  Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${name} (${count})`]));

for (const turns of [1, 5, 20]) {
  test(`no key, node or chain code stays in the signer or comes to the gateway, whole or half, in no form; used ${turns} times`, async (context) => {
    if (process.platform !== 'linux') return context.skip(NOT_LINUX);
    const { gatewayPid, signerPid, master, secrets } = await useKeys(turns);
    const patterns = { ...patternsOf(secrets), ...patternsOf(inHalves(secrets)) };
    // The scan finds what is there.
    expect(scanMemory(signerPid, { master }).master).toBeGreaterThan(0);
    expect(present(scanMemory(signerPid, patterns))).toEqual([]);
    expect(present(scanMemory(gatewayPid, { ...patterns, ...patternsOf({ master }) }))).toEqual([]);
  });
}
