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

const DEADLOCK = '40P01';
const ATTEMPTS = 5;

/** Changes tables in one transaction. Where the server's own work holds one and waits for another, the change may be what gives way. */
export async function change(databaseUrl: string, statements: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1)
    try {
      await query(databaseUrl, statements);
      return;
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof pg.DatabaseError) || error.code !== DEADLOCK)
        throw error;
    }
}
