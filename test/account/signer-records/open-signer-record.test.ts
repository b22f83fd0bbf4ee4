import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openSignerRecord } from '../../../src/account/signer-records/open-signer-record.ts';
import { mayHaveNewSigner } from '../../../src/account/signer-records/known-signers.ts';
import { adoptSigner } from '../../../src/account/signer-records/adopt-signer.ts';
import { verifyAudit } from '../../../src/account/audit/verify-audit.ts';
import { sql } from '../../../src/store/drizzle.ts';
import { derivationTombstones } from '../../../src/store/wallet-tables.ts';
import { describeStores } from '../../store/backends.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createHeadKey } from '../audit/head-key.ts';
import { NOW_MS } from '../new-customer.ts';
import { openTestSigner } from './test-signer.ts';

const directory = useNewDirectory();
const clock = { nowMs: () => NOW_MS };
const ACCOUNT = 'acc';

describeStores('the record of a signer', (backend) => {
  const store = backend.emptied();

  /** A data directory with a signer of its own, and its starts on the store. */
  function newServer(name: string, identity = createHeadKey()) {
    const signerDir = join(directory(), name);
    const headsFile = join(directory(), `${name}.jsonl`);
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
    const open = (acceptsLoss = false) => openTestSigner(signerDir, identity, acceptsLoss);
    /** Starts, does something, and stops. */
    const start = async (
      use: (record: Awaited<ReturnType<typeof openOne>>) => Promise<void> = async () => undefined,
    ) => {
      const one = await openOne();
      await use(one).finally(one.close);
    };
    const openOne = async () => {
      const signer = await open();
      try {
        const record = await openSignerRecord({ store: store(), signer, headsFile, clock, log });
        const destroy = (walletId: string) => record.signer.destroy({ walletId, accountId: ACCOUNT });
        const close = async () => {
          await record.close();
          await signer.close();
        };
        return { destroy, close };
      } catch (error) {
        await signer.close();
        throw error;
      }
    };
    const adopt = async () => {
      const signer = await open(true);
      const places = { store: store(), signer, publicKey: identity.bytes, headsFile, clock, log };
      return adoptSigner(places).finally(signer.close);
    };
    const backUp = () => {
      const copy = join(directory(), `${name}-copy-${Math.random()}`);
      cpSync(signerDir, copy, { recursive: true });
      return () => {
        rmSync(signerDir, { recursive: true });
        cpSync(copy, signerDir, { recursive: true });
      };
    };
    return { signerDir, headsFile, identity, lines, start, openOne, adopt, backUp };
  }

  const rows = async (table: 'signers' | 'signer_tombstones') =>
    (await store().db.execute(sql`select from ${sql.identifier(table)}`)).rowCount;

  /** The store is put back to what it was. */
  async function tamper(...statements: readonly ReturnType<typeof sql>[]): Promise<void> {
    await store().db.execute(sql`alter table signer_tombstones disable trigger user`);
    for (const statement of statements) await store().db.execute(statement);
    await store().db.execute(sql`alter table signer_tombstones enable trigger user`);
  }

  test('the first signer is taken in, which the log says once', async () => {
    expect(await mayHaveNewSigner(store())).toBe(true);
    const server = newServer('a');
    await server.start(async ({ destroy }) => {
      await destroy('w_1');
      expect(await rows('signer_tombstones')).toBe(1);
    });
    await server.start();
    expect(server.lines.filter((line) => line.includes('now accepts this signer'))).toHaveLength(1);
    expect(await mayHaveNewSigner(store())).toBe(false);
  });

  test('a record that has fewer destroyed keys than the store or the file of heads lists is refused', async () => {
    const server = newServer('a');
    await server.start(({ destroy }) => destroy('w_1'));
    const restore = server.backUp();
    await server.start(({ destroy }) => destroy('w_2'));
    const newest = server.backUp();
    restore();
    await expect(server.start()).rejects.toMatchObject({
      code: 'signerNotStarted',
      message: expect.stringContaining('1 destroyed keys, but the store lists 2: restore the directory'),
    });
    await tamper(sql`delete from signers`, sql`delete from signer_tombstones`);
    await expect(server.start()).rejects.toThrow('1 destroyed keys, but the file of heads lists 2');
    newest();
    await server.start();
    expect(await rows('signer_tombstones')).toBe(2);
  });

  test('a record that has others is refused', async () => {
    const server = newServer('a');
    await server.start(({ destroy }) => destroy('w_1'));
    const restore = server.backUp();
    await server.start(({ destroy }) => destroy('w_2'));
    restore();
    const elsewhere = await openTestSigner(server.signerDir, server.identity);
    await elsewhere.destroy({ walletId: 'w_other', accountId: ACCOUNT });
    await elsewhere.close();
    await expect(server.start()).rejects.toThrow('other destroyed keys than the 2 that the store lists');
  });

  test('a record that has more is taken: a store from a backup, and a crash before the store was told', async () => {
    const server = newServer('a');
    await server.start(({ destroy }) => destroy('w_1'));
    const crashed = await openTestSigner(server.signerDir, server.identity);
    for (let count = 2; count <= 5_000; count += 1)
      void crashed.destroy({ walletId: `w_${count}`, accountId: ACCOUNT });
    await crashed.close();
    await server.start();
    expect(await rows('signer_tombstones')).toBe(5_000);
    await tamper(sql`delete from signers`, sql`delete from signer_tombstones`);
    await server.start();
    expect(await rows('signer_tombstones')).toBe(5_000);
  });

  test('what many destroy at the same time is in the store when each resolves', async () => {
    const servers = store().kind === 'pglite' ? [newServer('a')] : [newServer('a'), newServer('b')];
    const opened = [];
    for (const server of servers) opened.push(await server.openOne());
    await Promise.all(
      opened.flatMap(({ destroy }, at) =>
        Array.from({ length: 30 }, async (_, count) => {
          await destroy(`w_${at}_${count}`);
          const name = `wallet\nw_${at}_${count}`;
          const { rowCount } = await store().db.execute(
            sql`select from signer_tombstones where fingerprint = substring(sha256(convert_to(${name}::text, 'UTF8')) for 16)`,
          );
          expect(rowCount).toBe(1);
        }),
      ),
    );
    for (const { close } of opened) await close();
    for (const server of servers) await server.start();
    expect(await rows('signer_tombstones')).toBe(30 * servers.length);
  });

  test('what is gone from the store’s copy is put back by the signer itself, which the log says', async () => {
    const server = newServer('a');
    await server.start(async ({ destroy }) => {
      for (const id of ['w_1', 'w_2', 'w_3']) await destroy(id);
    });
    await expect(store().db.execute(sql`delete from signer_tombstones`)).rejects.toThrow();
    await tamper(sql`delete from signer_tombstones where seq = 2`);
    await server.start();
    expect(await rows('signer_tombstones')).toBe(3);
    expect(server.lines.join('')).toContain('the store had lost destroyed keys');
    await tamper(
      sql`update signer_tombstones set fingerprint = substring(hash for 16) from signers where seq = 2`,
    );
    await expect(server.start()).rejects.toThrow('the store has other destroyed keys of this signer');
  });

  test('another signer is refused where the store has keys; with a command it is taken, with all that is known', async () => {
    const [first, second] = [newServer('a'), newServer('b')];
    await first.start(({ destroy }) => destroy('w_1'));
    const other = await openTestSigner(second.signerDir, second.identity);
    await other.adoptTombstones();
    await other.close();
    await expect(second.start()).rejects.toThrow(
      /the store's signer is [0-9a-f]{16}, and that of this data directory is/,
    );
    const adoption = await second.adopt();
    const isEmbedded = store().kind === 'pglite';
    expect(adoption).toMatchObject({ destroyedKeys: 1, fromStore: 1 });
    expect(adoption.forgotten).toHaveLength(isEmbedded ? 1 : 0);
    await second.start(({ destroy }) => destroy('w_2'));
    if (isEmbedded) await expect(first.start()).rejects.toThrow('the store');
    else await first.start();
  });

  test('what is lost for good is lost with a command, and the next loss is found again', async () => {
    const server = newServer('a');
    await server.start(({ destroy }) => destroy('w_1'));
    const restore = server.backUp();
    await server.start(({ destroy }) => destroy('w_2'));
    restore();
    await tamper(sql`delete from signers`, sql`delete from signer_tombstones`);
    expect(await server.adopt()).toMatchObject({ destroyedKeys: 1, fromStore: 0 });
    const again = server.backUp();
    await server.start(({ destroy }) => destroy('w_3'));
    again();
    await expect(server.start()).rejects.toThrow('1 destroyed keys, but the store lists 2');
  });

  test('lines that nobody signed, and torn ones, tell nothing; audit heads and these do not disturb each other', async () => {
    const server = newServer('a');
    await server.start(({ destroy }) => destroy('w_1'));
    const text = readFileSync(server.headsFile, 'utf8');
    const forged = text.replace('{"tombstones":1', '{"tombstones":9');
    writeFileSync(server.headsFile, `${forged}${text}${text.slice(0, 40)}`);
    await server.start(({ destroy }) => destroy('w_2'));
    const lines = readFileSync(server.headsFile, 'utf8').split('\n');
    expect(lines.filter((line) => line.startsWith('{"tombstones":2'))).toHaveLength(1);
    const verdict = await verifyAudit({ store: store(), headsFile: server.headsFile, trustedKeys: [] });
    expect(verdict.isSound).toBe(true);
  });

  test('an embedded store has one signer; a PostgreSQL takes others while there is nothing to lose, and those from before', async () => {
    const [first, second, old] = [newServer('a'), newServer('b'), newServer('c')];
    await first.start();
    if (store().kind === 'pglite') {
      expect(await mayHaveNewSigner(store())).toBe(false);
      await expect(second.start()).rejects.toThrow('signer adopt');
      return;
    }
    expect(await mayHaveNewSigner(store())).toBe(true);
    await second.start();
    const place = { masterId: 'm', x: 0, y: 0, destroyedAt: new Date(NOW_MS) };
    await store().db.insert(derivationTombstones).values(place);
    expect(await mayHaveNewSigner(store())).toBe(false);
    await old.start(({ destroy }) => destroy('w_1'));
    expect(await rows('signers')).toBe(3);
  });

  test('a server does not start where the store has less of another signer than it stated, until that one has started', async () => {
    if (store().kind === 'pglite') return;
    const [first, second] = [newServer('a'), newServer('b')];
    await second.start();
    const running = await second.openOne();
    await first.start(({ destroy }) => destroy('w_1'));
    await eventually('the other server has written it down', () =>
      (existsSync(second.headsFile) ? readFileSync(second.headsFile, 'utf8') : '').includes('{"tombstones":1')
        ? true
        : undefined,
    );
    await running.close();
    const lost = "has lost destroyed keys of another server's signer";
    await tamper(sql`delete from signer_tombstones`);
    await expect(second.start()).rejects.toThrow(lost);
    await first.start();
    await second.start();
    await tamper(sql`delete from signers where tombstones = 1`, sql`delete from signer_tombstones`);
    await expect(second.start()).rejects.toThrow(lost);
    expect(await second.adopt()).toMatchObject({ destroyedKeys: 0 });
    await second.start();
  });
});
