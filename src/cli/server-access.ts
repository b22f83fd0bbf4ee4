import { readDevelopmentFile } from '../account/setup/development-file.ts';
import { serviceError } from '../core/service-error.ts';
import { loadConfig } from '../core/config/load-config.ts';
import type { OptionValues } from './read-arguments.ts';

/** A server, and the access token that it is called with. */
export type ServerAccess = {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  readonly token: string;
};

/**
 * Reads --url and --token of a command that calls a server over HTTP. The defaults are KEYSLOT_TOKEN, and the address and token of the
 * development account.
 *
 * @throws ServiceError `invalidCommand` with the mistake, `invalidConfig`.
 */
export async function readServerAccess(
  { url, token, config: file, 'data-dir': dataDir }: OptionValues,
  env: NodeJS.ProcessEnv,
): Promise<ServerAccess> {
  const directory = typeof dataDir === 'string' ? dataDir : directoryOf(file, env);
  const known = await readDevelopmentFile(directory);
  const base = typeof url === 'string' ? url : known.base_url;
  const secret = typeof token === 'string' ? token : (env.KEYSLOT_TOKEN ?? known.access_token);
  if (base === undefined || secret === undefined)
    throw serviceError('invalidCommand', {
      reason: `missing --url and --token (or KEYSLOT_TOKEN): ${directory} has no dev.json`,
    });
  return { url: readUrl('--url', base).href.replace(/\/$/, ''), token: secret };
}

/** A server's settings are read only with its file, as the command may run on another machine. */
function directoryOf(file: OptionValues[string], env: NodeJS.ProcessEnv): string {
  return typeof file === 'string' ? loadConfig({ file, env }).data_dir : (env.KEYSLOT_DATA_DIR ?? '.keyslot');
}

/** Returns an http or https URL. @throws ServiceError `invalidCommand` for anything else. */
export function readUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw serviceError('invalidCommand', { reason: `${option} must be an http or https URL, got ${text}` });
}
