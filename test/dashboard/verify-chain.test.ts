import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AuditHead, AuditRecord } from '../../generated/account/types.ts';
import { headBytes, recordBytes } from '../../runtime/audit-bytes.ts';
import { browserCrypto } from '../../src/dashboard/pages/audit/browser-crypto.ts';
import { fromHex, toHex } from '../../runtime/hex.ts';
import { type VerifiedHead, verifyChain } from '../../src/dashboard/pages/audit/verify-chain.ts';

const ACCOUNT = '5a1e2f70-0c7b-4a54-8d3b-6f1f0e9d2c33';
const AT = '2026-01-15T09:30:00.000Z';
const PAGE = 4;

type World = { readonly records: AuditRecord[]; readonly heads: AuditHead[] };
type Options = {
  readonly kept?: VerifiedHead;
  readonly isFromFirst?: boolean;
  readonly signal?: AbortSignal;
};

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PUBLIC_KEY = toHex(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));

async function recordAfter(previous: string, seq: number, action = 'sign'): Promise<AuditRecord> {
  const facts = {
    account_id: ACCOUNT,
    seq,
    at: AT,
    action,
    outcome: 'ok',
    request_id: `req_${seq}`,
    units: 1,
  };
  const bytes = recordBytes(fromHex(previous), {
    accountId: ACCOUNT,
    seq,
    atMs: Date.parse(AT),
    action,
    outcome: 'ok',
    tokenId: null,
    requestId: `req_${seq}`,
    walletId: null,
    units: 1,
  });
  return {
    ...facts,
    previous_hash: previous,
    hash: toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))),
  };
}

function headOf({ seq, hash }: AuditRecord, key: KeyObject = privateKey): AuditHead {
  const bytes = headBytes({ accountId: ACCOUNT, seq, hash: fromHex(hash), atMs: Date.parse(AT) });
  const signature = toHex(sign(null, bytes, key));
  return { account_id: ACCOUNT, seq, hash, at: AT, public_key: PUBLIC_KEY, signature };
}

/** Ten records in pages of four, with heads of the third and the last. */
async function chainOf(length = 10, action?: string): Promise<World> {
  const records: AuditRecord[] = [];
  for (let seq = 1; seq <= length; seq += 1)
    records.push(await recordAfter(records.at(-1)?.hash ?? '0'.repeat(64), seq, action));
  return {
    records,
    heads: records.filter(({ seq }) => seq === 3 || seq === length).map((record) => headOf(record)),
  };
}

/** Answers as the server does: whatever records there are from a number on. */
function verify({ records, heads }: World, { kept, isFromFirst = false, signal }: Options = {}) {
  const reads: number[] = [];
  const page = <T extends { readonly seq: number }>(rows: readonly T[], from: number) => {
    const found = rows.filter(({ seq }) => seq >= from);
    const next = found.length > PAGE ? { next_seq: found[PAGE]?.seq ?? 0 } : {};
    return { rows: found.slice(0, PAGE), ...next };
  };
  const verdict = verifyChain(
    {
      ...browserCrypto(),
      readChain: async (from) => {
        reads.push(from);
        const { rows, ...next } = page(records, from);
        return { records: rows, ...next };
      },
      readHeads: async (from) => {
        const { rows, ...next } = page(heads, from);
        return { heads: rows, ...next };
      },
    },
    {
      accountId: ACCOUNT,
      kept,
      isFromFirst,
      onProgress: () => undefined,
      signal: signal ?? new AbortController().signal,
    },
  );
  return { verdict, reads };
}

const faultOf = async (world: World, options?: Options) => (await verify(world, options).verdict).fault;

describe('verification of an audit chain', () => {
  test('verifies every record and every head, and returns the last head', async () => {
    const world = await chainOf();
    const { verdict } = verify(world);
    expect(await verdict).toEqual({
      seq: 10,
      records: 10,
      heads: 2,
      publicKeys: [PUBLIC_KEY],
      head: { seq: 10, hash: world.records[9]?.hash, publicKey: PUBLIC_KEY },
    });
    expect((await verify(await chainOf(0)).verdict).records).toBe(0);
  });

  test('begins at what was verified before, and from the first record if it is asked to', async () => {
    const world = await chainOf();
    const kept = { seq: 10, hash: world.records[9]?.hash ?? '', publicKey: PUBLIC_KEY };
    const since = verify(world, { kept });
    expect([(await since.verdict).records, since.reads]).toEqual([1, [10]]);
    expect((await verify(world, { kept, isFromFirst: true }).verdict).records).toBe(10);
  });

  test.each([1, 4, 5, 10])('names record %i if what it says was changed', async (seq) => {
    const world = await chainOf();
    const record = world.records[seq - 1];
    if (record === undefined) throw new Error('no such record');
    const changed = { ...record, outcome: 'scope_missing' };
    world.records[seq - 1] = changed;
    expect(await faultOf(world)).toMatchObject({ kind: 'changed', seq, stored: record.hash });
    const { hash } = await recordAfter(record.previous_hash, seq, 'destroy');
    world.records[seq - 1] = { ...record, action: 'destroy', hash };
    const next = seq === 10 ? { kind: 'head', seq: 10 } : { kind: 'unlinked', seq: seq + 1, expected: hash };
    expect(await faultOf(world)).toMatchObject(next);
  });

  test.each([1, 4, 5, 10])('names record %i if it was removed', async (seq) => {
    const world = await chainOf();
    world.records.splice(seq - 1, 1);
    expect(await faultOf(world)).toEqual({ kind: 'missing', seq });
  });

  test('names the end that was cut off: by a head, and by what was verified before', async () => {
    const world = await chainOf();
    world.records.splice(6);
    expect(await faultOf(world)).toEqual({ kind: 'missing', seq: 7 });
    world.heads.splice(1);
    const kept = { seq: 9, hash: '11', publicKey: PUBLIC_KEY };
    expect(await faultOf(world, { kept, isFromFirst: true })).toEqual({ kind: 'missing', seq: 7 });
    expect(await faultOf(world, { kept })).toEqual({ kind: 'missing', seq: 9 });
  });

  test('detects a rewritten log: by a head, and without heads by the part verified before', async () => {
    const [world, other] = [await chainOf(), await chainOf(10, 'destroy')];
    const stored = other.records[2]?.hash;
    expect(await faultOf({ records: other.records, heads: world.heads })).toEqual({
      kind: 'head',
      seq: 3,
      stored,
      stated: world.records[2]?.hash,
    });
    const kept = { seq: 3, hash: world.records[2]?.hash ?? '', publicKey: PUBLIC_KEY };
    for (const isFromFirst of [true, false])
      expect(await faultOf(other, { kept, isFromFirst })).toEqual({
        kind: 'rewritten',
        seq: 3,
        stored,
        kept: kept.hash,
      });
  });

  test('names a head that another key signed', async () => {
    const world = await chainOf();
    const [, last] = world.heads;
    if (last === undefined) throw new Error('no head');
    world.heads[1] = {
      ...last,
      signature: headOf(last as never, generateKeyPairSync('ed25519').privateKey).signature,
    };
    expect(await faultOf(world)).toEqual({ kind: 'signature', seq: 10, publicKey: PUBLIC_KEY });
  });

  test('can be stopped', async () => {
    const controller = new AbortController();
    controller.abort(new Error('stopped'));
    await expect(verify(await chainOf(), { signal: controller.signal }).verdict).rejects.toThrow('stopped');
  });
});
