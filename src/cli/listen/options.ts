import { serviceError } from '../../base/service-error.ts';
import { readDevelopmentServer } from '../../account/development-file.ts';
import { isEventPattern } from '../../webhooks/wanted-types.ts';
import type { OptionLists, OptionValues } from '../read-arguments.ts';

/** What `keyslot listen` is asked for. */
export type ListenOptions = {
  /** Base URL of the server. */
  readonly url: string;
  readonly token: string;
  /** Where events are forwarded; undefined: nowhere. */
  readonly forward: URL | undefined;
  readonly patterns: readonly string[];
  /** The first record; undefined: what happens from now on. */
  readonly fromSeq: number | undefined;
  readonly json: boolean;
};

/**
 * Reads the options of `keyslot listen`. Without --url and a token, they are those of the development account.
 *
 * @throws ServiceError `invalidCommand` with the mistake.
 */
export async function readListenOptions(
  { url, token, forward, from, json, 'data-dir': dataDir }: OptionValues,
  { event: patterns = [] }: OptionLists,
  env: NodeJS.ProcessEnv,
): Promise<ListenOptions> {
  const directory = typeof dataDir === 'string' ? dataDir : (env.KEYSLOT_DATA_DIR ?? '.keyslot');
  const known = await readDevelopmentServer(directory);
  const base = typeof url === 'string' ? url : known.base_url;
  const secret = typeof token === 'string' ? token : (env.KEYSLOT_TOKEN ?? known.access_token);
  if (base === undefined || secret === undefined)
    throw mistake(`give --url and --token (or KEYSLOT_TOKEN): there is no dev.json in ${directory}`);
  const unknown = patterns.find((pattern) => !isEventPattern(pattern));
  if (unknown !== undefined)
    throw mistake(`--event must be a type of event such as wallet.sign, or wallet.*; got ${unknown}`);
  return {
    ...{ url: readUrl('--url', base).href.replace(/\/$/, ''), token: secret, patterns, json: json === true },
    forward: typeof forward === 'string' ? readUrl('--forward', forward) : undefined,
    fromSeq: typeof from === 'string' ? readSeq(from) : undefined,
  };
}

function readUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw mistake(`${option} must be an http or https URL, got ${text}`);
}

function readSeq(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw mistake(`--from must be the number of a record, from 1, got ${text}`);
}

function mistake(reason: string) {
  return serviceError('invalidCommand', { reason });
}
