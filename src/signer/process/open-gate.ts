import type { Logger } from 'pino';
import { keyFailure } from '../hsm/key-failure.ts';
import { parseSettings } from '../settings.ts';
import type { ByteReader } from '../wire/byte-reader.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { MAX_TEXT_BYTES } from '../wire/limits.ts';
import { OPERATIONS } from '../wire/operations.ts';
import { type OpenedVault, openVault } from './open-vault.ts';
import { type AnswerRequest, operationTable } from './operation-table.ts';
import type { AnswerFrame } from './serve-link.ts';

export type Gate = { readonly answer: AnswerFrame; readonly close: () => Promise<void> };

/** Answers `open` first, once, and then every other operation. */
export function openGate(log: Logger): Gate {
  let opening: Promise<OpenedVault> | undefined;
  let table: ReadonlyMap<number, AnswerRequest> = new Map();

  const open = async (content: ByteReader): Promise<Buffer> => {
    if (opening !== undefined) throw keyFailure('the signer is open already');
    const bytes = content.bytes(MAX_TEXT_BYTES);
    content.end();
    const settings = parseSettings(bytes.toString('utf8'));
    bytes.fill(0);
    log.level = settings.logLevel;
    opening = openVault(settings, log);
    const { vault, hello } = await opening;
    table = operationTable(vault);
    return new ByteWriter().text(JSON.stringify(hello)).done();
  };
  return {
    answer: async (code, content, isRepeat) => {
      if (code === OPERATIONS.open.code) return open(content);
      const answer = table.get(code);
      if (answer === undefined) throw keyFailure('an unknown operation, or one before the signer is open');
      return answer(content, isRepeat);
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}
