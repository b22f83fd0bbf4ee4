import type { KeyEngine } from './engine.ts';
import { isStopped, type MasterSource, type MasterTask, nothing, type TaskResult } from './key-task.ts';
import { createMnemonic, mnemonicSeedNow } from './mnemonic.ts';
import { newPair } from './new-pair.ts';
import { copySecret } from './secret-bytes.ts';
import { coinNode, masterNode, nodeSeed } from './slip10.ts';
import { CSV_HEADER, createRecordWriter } from './wallet-record.ts';

/** The text around the records of an HD job that is one JSON document. */
export const JSON_DOCUMENT = { beforeMaster: '{"master":', beforeChildren: ',"wallets":[', end: ']}' };

/**
 * Makes the master node, writes m/44'/501' into `coin`, and returns the master's record, whose path is "m". The record has a mnemonic if it
 * is new; one from the client is not sent back.
 */
export function makeMaster(engine: KeyEngine, task: MasterTask): TaskResult {
  const { format, createdAt } = task;
  const { seed, mnemonic } = seedOf(engine, task.source);
  const master = masterNode(engine, seed);
  const coin = coinNode(engine, master);
  const pair = newPair();
  const writer = createRecordWriter(format, {
    records: 1,
    createdAt,
    hasMnemonics: mnemonic !== undefined,
    frameBytes: CSV_HEADER.length,
  });
  try {
    task.coin.set(coin);
    engine.keyPair(nodeSeed(master), pair);
    if (format === 'csv') writer.writeFrame(CSV_HEADER);
    if (format === 'json') writer.writeFrame(JSON_DOCUMENT.beforeMaster);
    writer.write({ ...pair, mnemonic, path: 'm' });
    if (format === 'json') writer.writeFrame(JSON_DOCUMENT.beforeChildren);
    if (!isStopped(task)) return { bytes: writer.take(), count: 0, isStopped: false };
    engine.wipe(task.coin);
    writer.wipe();
    return nothing();
  } finally {
    engine.wipe(seed, master, coin, pair.secretKey, ...(mnemonic === undefined ? [] : [mnemonic]));
  }
}

function seedOf(
  engine: KeyEngine,
  source: MasterSource,
): { readonly seed: Uint8Array; readonly mnemonic: Uint8Array | undefined } {
  if (source.kind === 'seed') return { seed: copySecret(source.seed), mnemonic: undefined };
  const mnemonic = source.kind === 'new' ? createMnemonic(source.words) : copySecret(source.mnemonic);
  const salt = copySecret(source.salt);
  const seed = mnemonicSeedNow(mnemonic, salt);
  engine.wipe(salt);
  if (source.kind === 'new') return { seed, mnemonic };
  engine.wipe(mnemonic);
  return { seed, mnemonic: undefined };
}
