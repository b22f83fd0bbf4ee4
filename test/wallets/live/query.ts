import pg from 'pg';

/** A connection to the database of a server, which the caller ends. */
export async function connectTo(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    options: '-c search_path=keyslot',
  });
  await client.connect();
  return client;
}

/** Runs one statement on the database of a server. */
export async function query(databaseUrl: string, statement: string): Promise<readonly unknown[]> {
  const client = await connectTo(databaseUrl);
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}
