import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AuditFact, appendAuditInOwnTransaction } from '../../../src/account/audit/append-audit.ts';
import {
  type AuditFilters,
  type ListedRecord,
  listAudit,
  EXAMINED,
} from '../../../src/account/audit/list-audit.ts';
import { GENESIS } from '../../../runtime/audit-bytes.ts';
import { hashRecord } from '../../../src/account/audit/record-hash.ts';
import type { PageQuery } from '../../../src/store/list-page.ts';
import { createToken } from '../../../src/account/identity/tokens/access-tokens.ts';
import { TokenRing } from '../../../src/account/identity/tokens/token-ring.ts';
import { describeStores } from '../../store/backends.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';

const MINUTE_MS = 60_000;
const fact = (own: Partial<AuditFact> = {}): AuditFact => ({
  action: 'sign',
  outcome: 'ok',
  requestId: `req_${randomUUID()}`,
  ...own,
});
const seqs = (records: readonly ListedRecord[]): readonly number[] => records.map(({ seq }) => seq);
const downFrom = (last: number): readonly number[] => Array.from({ length: last }, (_, at) => last - at);

describeStores('a list of audit records', (backend) => {
  const store = backend.shared();

  const append = (accountId: string, facts: readonly AuditFact[], atMs = NOW_MS): Promise<void> =>
    appendAuditInOwnTransaction(store(), accountId, facts, atMs);

  /** An account whose records are written at these minutes, one after the other. */
  async function logOf(
    minutes: readonly number[],
    facts: readonly Partial<AuditFact>[] = [],
  ): Promise<string> {
    const accountId = await newCustomer(store());
    for (const [at, minute] of minutes.entries())
      await append(accountId, [fact(facts[at])], NOW_MS + minute * MINUTE_MS);
    return accountId;
  }

  /** All pages of a list. `between` runs after each. */
  async function readAll(
    accountId: string,
    query: AuditFilters & PageQuery,
    between: () => Promise<void> = () => Promise.resolve(),
  ): Promise<{ readonly records: readonly ListedRecord[]; readonly sizes: readonly number[] }> {
    const records: ListedRecord[] = [];
    const sizes: number[] = [];
    for (let after = query.after; ; ) {
      const page = await listAudit(store(), accountId, { ...query, after });
      records.push(...page.records);
      sizes.push(page.records.length);
      if (page.next === undefined) return { records, sizes };
      after = page.next;
      await between();
    }
  }

  test('has the records of the account alone, the newest first, with all that their hashes cover', async () => {
    const accountId = await newCustomer(store());
    const tokens = { store: store(), tokens: new TokenRing() };
    const token = { accountId, name: 'till', scopes: ['wallets:sign'] as const, expiresAtMs: undefined };
    const { id: tokenId } = await createToken(tokens, token, NOW_MS);
    await append(accountId, [
      fact({ tokenId, walletId: 'w_1', units: 3 }),
      fact({ address: '10.0.0.1', outcome: 'scope_missing' }),
    ]);
    await append(await newCustomer(store()), [fact()]);
    const { records, next } = await listAudit(store(), accountId, { limit: 10 });
    expect([seqs(records), next]).toEqual([[2, 1], undefined]);
    expect(records[0]).toMatchObject({ tokenName: null, address: '10.0.0.1', outcome: 'scope_missing' });
    expect(records[1]).toMatchObject({ tokenId, tokenName: 'till', walletId: 'w_1', units: 3 });
    expect(await listAudit(store(), randomUUID(), { limit: 10 })).toEqual({ records: [], next: undefined });
  });

  test('is enough to verify the chain', async () => {
    const accountId = await logOf([0, 1, 2, 3, 4]);
    const { records } = await readAll(accountId, { limit: 2 });
    let previous = GENESIS;
    for (const record of records.toReversed()) {
      expect(Buffer.compare(record.previousHash, previous)).toBe(0);
      previous = hashRecord(previous, { ...record, atMs: record.at.getTime() });
      expect(Buffer.compare(record.hash, previous)).toBe(0);
    }
    expect(records.length).toBe(5);
  });

  test('a page that is exactly full is the last one when nothing follows', async () => {
    const accountId = await logOf([0, 0, 0, 0]);
    expect((await readAll(accountId, { limit: 2 })).sizes).toEqual([2, 2]);
    expect((await readAll(accountId, { limit: 3 })).sizes).toEqual([3, 1]);
  });

  test('pages of any size have each record once, in order, while others are written', async () => {
    const minutes = Array.from({ length: 23 }, (_, at) => Math.floor(at / 3));
    const facts = minutes.map((_, at) => ({
      action: at % 2 === 0 ? 'sign' : 'fetch',
      walletId: at % 3 === 0 ? 'w_a' : 'w_b',
    }));
    const filters: fc.Arbitrary<AuditFilters & { since?: Date }> = fc.record(
      { action: fc.constant('sign'), walletId: fc.constant('w_a'), since: fc.constant(new Date(NOW_MS)) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), filters, async (limit, query) => {
        const accountId = await logOf(minutes, facts);
        const write = () => append(accountId, [fact({ walletId: 'w_a' })], NOW_MS + 60 * MINUTE_MS);
        const { records, sizes } = await readAll(accountId, { ...query, limit }, write);
        const wanted = downFrom(minutes.length).filter((seq) => {
          const { action, walletId } = facts[seq - 1] ?? {};
          return (
            (query.action === undefined || action === query.action) &&
            (query.walletId === undefined || walletId === query.walletId)
          );
        });
        expect(seqs(records)).toEqual(wanted);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(limit);
      }),
      { numRuns: backend.kind === 'pglite' ? 12 : 8 },
    );
  });

  test('filters let pass what has all that they name', async () => {
    const tokenId = randomUUID();
    const facts = [
      { walletId: 'w_a', tokenId },
      { walletId: 'w_a', outcome: 'replayed' },
      { walletId: 'w_b', action: 'destroy', tokenId },
      { outcome: 'scope_missing', tokenId: randomUUID() },
    ];
    const accountId = await logOf([0, 1, 2, 3], facts);
    const found = async (filters: AuditFilters & Partial<PageQuery>) =>
      seqs((await readAll(accountId, { limit: 3, ...filters })).records);
    expect(await found({ walletId: 'w_a' })).toEqual([2, 1]);
    expect(await found({ tokenId })).toEqual([3, 1]);
    expect(await found({ action: 'destroy' })).toEqual([3]);
    expect(await found({ outcome: 'replayed' })).toEqual([2]);
    expect(await found({ walletId: 'w_a', outcome: 'ok' })).toEqual([1]);
    expect(await found({ walletId: 'w_a', since: new Date(NOW_MS + MINUTE_MS) })).toEqual([2]);
    expect(await found({ tokenId, until: new Date(NOW_MS + 2 * MINUTE_MS) })).toEqual([1]);
    expect(await found({ action: 'fly' })).toEqual([]);
  });

  test('between instants it has the first and not the last, in the order of time', async () => {
    // Record 4 was written late, as refusals are after an outage.
    const accountId = await logOf([0, 10, 20, 5, 30]);
    const between = async (since: number | undefined, until: number | undefined, limit = 1) => {
      const at = (minute: number | undefined) =>
        minute === undefined ? undefined : new Date(NOW_MS + minute * MINUTE_MS);
      return seqs((await readAll(accountId, { limit, since: at(since), until: at(until) })).records);
    };
    expect(await between(5, 20)).toEqual([2, 4]);
    expect(await between(5, 21, 2)).toEqual([3, 2, 4]);
    expect(await between(undefined, 6)).toEqual([4, 1]);
    expect(await between(5, undefined)).toEqual([5, 3, 2, 4]);
    expect(await between(31, undefined)).toEqual([]);
    expect(seqs((await readAll(accountId, { limit: 2 })).records)).toEqual([5, 4, 3, 2, 1]);
  });

  test('a page looks at a bounded number of records; the next one continues behind them', async () => {
    const accountId = await newCustomer(store());
    const rare = fact({ action: 'destroy' });
    await append(accountId, [rare, ...Array.from({ length: EXAMINED }, () => fact())]);
    for (const since of [undefined, new Date(NOW_MS)]) {
      const first = await listAudit(store(), accountId, { action: 'destroy', limit: 10, since });
      expect([first.records, first.next?.id]).toEqual([[], '2']);
      const { records, sizes } = await readAll(accountId, { action: 'destroy', limit: 10, since });
      expect([seqs(records), sizes]).toEqual([[1], [0, 1]]);
      expect((await readAll(accountId, { action: 'sign', limit: 1_000, since })).sizes).toEqual([
        ...Array.from({ length: EXAMINED / 1_000 }, () => 1_000),
      ]);
    }
  });
});
