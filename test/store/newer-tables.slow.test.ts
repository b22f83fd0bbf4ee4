import { expect, test } from 'vitest';
import { openCopySource } from '../../src/store/copy/copy-source.ts';
import { sql } from '../../src/store/drizzle.ts';
import { openStore, type StoreOptions } from '../../src/store/open-store.ts';
import { describeStores, SILENT } from './backends.ts';
import { makeEarlier } from './make-earlier.ts';

/** The instant of a migration that no version has yet. */
const LATER = 9_999_999_999_999;
const addLater = `insert into migrations (hash, created_at) values ('of a later version', ${LATER})`;

async function migrationsOf(place: StoreOptions): Promise<readonly number[]> {
  const source = await openCopySource(place, SILENT);
  await source.close();
  return source.migrations;
}

describeStores('a store with the tables of a newer version', (backend) => {
  test('is not opened, and the error says what to do', async () => {
    const place = backend.place();
    const newer = await openStore(place, SILENT);
    await newer.db.execute(sql.raw(addLater));
    await newer.close();
    await expect(openStore(place, SILENT)).rejects.toMatchObject({
      code: 'storeUnavailable',
      context: { reason: expect.stringMatching(/another version of Keyslot.*start that version.*restore/) },
    });
  });

  test('is left as it is, though this version has migrations that it lacks', async () => {
    const place = backend.place();
    await makeEarlier(place, { before: '0022_outgoing_mails', rows: [addLater] });
    const before = await migrationsOf(place);
    expect(before.at(-1)).toBe(LATER);
    await expect(openStore(place, SILENT)).rejects.toMatchObject({ code: 'storeUnavailable' });
    expect(await migrationsOf(place)).toEqual(before);
  });
});
