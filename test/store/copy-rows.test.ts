import type pg from 'pg';
import { expect, test } from 'vitest';
import { readRows } from '../../src/store/copy/copy-source.ts';

/** A database that has one table with a number of rows, each with its number. */
function databaseWith(rowCount: number): pg.ClientBase {
  let read = 0;
  const query = async (sent: string | { readonly text: string }): Promise<{ readonly rows: unknown[] }> => {
    const text = typeof sent === 'string' ? sent : sent.text;
    const fetched = /^fetch (\d+) from copied$/.exec(text);
    if (fetched !== null) {
      const count = Math.min(Number(fetched[1]), rowCount - read);
      const rows = Array.from({ length: count }, () => [String(++read)]);
      return { rows };
    }
    const column = { table: 'notes', name: 'id', type: 'integer', identity: false };
    return { rows: text.includes('pg_attribute') ? [column] : [] };
  };
  return { query } as unknown as pg.ClientBase;
}

test.each([0, 1, 499, 500, 501, 1_000, 1_001])(
  'a copy has all %i rows of a table, in order',
  async (count) => {
    const rows: unknown[] = [];
    let pages = 0;
    for await (const page of readRows(databaseWith(count), 'keyslot')) {
      expect(page).toMatchObject({ table: 'notes', columns: ['id'] });
      rows.push(...page.rows.flat());
      pages += 1;
    }
    expect(rows).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)));
    expect(pages).toBe(Math.max(1, Math.ceil(count / 500)));
  },
);
