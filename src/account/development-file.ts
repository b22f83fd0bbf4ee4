import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DevelopmentAccess } from './development-access.ts';
import type { DevelopmentLogin } from './development-login.ts';

/** `dev.json`: the addresses and credentials of a server that was started without a configuration. */
export type DevelopmentFile = DevelopmentSecrets & {
  readonly base_url: string;
  readonly ws_url: string;
  /** Address of the topic streams. */
  readonly grpc_url: string;
  readonly rpc_path: string;
  /** The address of the dashboard, which the login below opens. */
  readonly dashboard_url: string;
};

/** The credentials. */
export type DevelopmentSecrets = DevelopmentAccess & DevelopmentLogin & { readonly api_key: string };

/** Returns the credentials in `<dataDir>/dev.json`; empty when the file is missing or not written by this service. */
export async function readDevelopmentFile(dataDir: string): Promise<Partial<DevelopmentSecrets>> {
  const { api_key, access_token, totp_secret, dashboard_password } = await readMembers(dataDir);
  return {
    ...(typeof api_key === 'string' && { api_key }),
    ...(typeof access_token === 'string' && { access_token }),
    ...(typeof totp_secret === 'string' && { totp_secret }),
    ...(typeof dashboard_password === 'string' && { dashboard_password }),
  };
}

async function readMembers(dataDir: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return { ...(JSON.parse(await readFile(pathIn(dataDir), 'utf8')) as object) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || isMissing(error)) return {};
    throw error;
  }
}

/** Returns the address of the server and an access token from `<dataDir>/dev.json`; empty as `readDevelopmentFile`. */
export async function readDevelopmentServer(
  dataDir: string,
): Promise<Partial<Pick<DevelopmentFile, 'base_url' | 'access_token'>>> {
  const { base_url, access_token } = await readMembers(dataDir);
  return {
    ...(typeof base_url === 'string' && { base_url }),
    ...(typeof access_token === 'string' && { access_token }),
  };
}

/** Writes `<dataDir>/dev.json`, readable by its owner only. A reader sees the old file or the new one, whole. */
export async function writeDevelopmentFile(dataDir: string, file: DevelopmentFile): Promise<void> {
  const draft = `${pathIn(dataDir)}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(file, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, pathIn(dataDir));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Deletes `<dataDir>/dev.json` if it exists. */
export async function deleteDevelopmentFile(dataDir: string): Promise<void> {
  await rm(pathIn(dataDir), { force: true });
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'dev.json');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
