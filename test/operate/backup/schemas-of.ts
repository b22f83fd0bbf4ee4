import pg from 'pg';

/** The schemas of a database that Keyslot made. */
export async function schemasOf(url: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select nspname as name from pg_namespace where nspname like 'keyslot%'",
  );
  await client.end();
  return rows.map(({ name }) => name);
}
