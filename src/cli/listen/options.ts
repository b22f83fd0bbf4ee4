import { serviceError } from '../../base/service-error.ts';
import { isEventPattern } from '../../webhooks/wanted-types.ts';
import type { OptionLists, OptionValues } from '../read-arguments.ts';
import { readServerAccess, readUrl, type ServerAccess } from '../server-access.ts';

/** What `keyslot listen` is asked for. */
export type ListenOptions = ServerAccess & {
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
  options: OptionValues,
  { event: patterns = [] }: OptionLists,
  env: NodeJS.ProcessEnv,
): Promise<ListenOptions> {
  const { forward, from, json } = options;
  const access = await readServerAccess(options, env);
  const unknown = patterns.find((pattern) => !isEventPattern(pattern));
  if (unknown !== undefined)
    throw mistake(`--event must be a type of event such as wallet.sign, or wallet.*; got ${unknown}`);
  return {
    ...{ ...access, patterns, json: json === true },
    forward: typeof forward === 'string' ? readUrl('--forward', forward) : undefined,
    fromSeq: typeof from === 'string' ? readSeq(from) : undefined,
  };
}

function readSeq(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw mistake(`--from must be the number of a record, from 1, got ${text}`);
}

function mistake(reason: string) {
  return serviceError('invalidCommand', { reason });
}
