import { randomFillSync } from 'node:crypto';
import { printDerivationPath } from './derivation-path.ts';
import { type KeyEngine, SEED_BYTES } from './engine.ts';
import { isStopped, nothing, type TaskResult, type WalletsTask, type MnemonicParams } from './key-task.ts';
import { createMnemonic, mnemonicSeedNow } from './mnemonic.ts';
import { newPair } from './new-pair.ts';
import { copySecret, secretBytes } from './secret-bytes.ts';
import { deriveWallet } from './slip10.ts';
import { CSV_HEADER, createRecordWriter, type RecordWriter } from './wallet-record.ts';

/** Creates the wallets of a task from fresh randomness; if that fails, it throws and returns none of them. */
export function makeWallets(engine: KeyEngine, task: WalletsTask): TaskResult {
  const writer = createRecordWriter(task.format, {
    records: task.count,
    createdAt: task.createdAt,
    hasMnemonics: task.mnemonic !== undefined,
    frameBytes: CSV_HEADER.length,
  });
  try {
    if (task.format === 'csv' && task.isFirst) writer.writeFrame(CSV_HEADER);
    const { mnemonic } = task;
    const isWhole =
      mnemonic === undefined
        ? writePlain(engine, task, writer)
        : writeFromMnemonics(engine, { ...task, mnemonic }, writer);
    if (isWhole) return { bytes: writer.take(), count: task.count, isStopped: false };
  } catch (error) {
    writer.wipe();
    throw error;
  }
  writer.wipe();
  return nothing();
}

function writePlain(engine: KeyEngine, task: WalletsTask, writer: RecordWriter): boolean {
  const seeds = secretBytes(task.count * SEED_BYTES);
  const pair = newPair();
  try {
    randomFillSync(seeds);
    for (let at = 0; at < seeds.length; at += SEED_BYTES) {
      if (isStopped(task)) return false;
      engine.keyPair(seeds.subarray(at, at + SEED_BYTES), pair);
      writer.write(pair);
    }
    return true;
  } finally {
    engine.wipe(seeds, pair.secretKey);
  }
}

function writeFromMnemonics(
  engine: KeyEngine,
  task: WalletsTask & { readonly mnemonic: MnemonicParams },
  writer: RecordWriter,
): boolean {
  const { words, salt: sharedSalt, path: indexes } = task.mnemonic;
  const path = printDerivationPath(indexes);
  const salt = copySecret(sharedSalt);
  const pair = newPair();
  try {
    for (let made = 0; made < task.count; made += 1) {
      if (isStopped(task)) return false;
      const mnemonic = createMnemonic(words);
      const seed = mnemonicSeedNow(mnemonic, salt);
      const walletSeed = deriveWallet(engine, seed, indexes);
      try {
        engine.keyPair(walletSeed, pair);
        writer.write({ ...pair, mnemonic, path });
      } finally {
        engine.wipe(mnemonic, seed, walletSeed);
      }
    }
    return !isStopped(task);
  } finally {
    engine.wipe(salt, pair.secretKey);
  }
}
