import { type DerivationIndexes, printDerivationPath } from './derivation-path.ts';
import type { KeyEngine } from './engine.ts';
import { type ChildrenTask, isStopped, nothing, type TaskResult } from './key-task.ts';
import { newPair } from './new-pair.ts';
import { copySecret } from './secret-bytes.ts';
import { createChildren, nodeSeed } from './slip10.ts';
import { createRecordWriter, type RecordWriter } from './wallet-record.ts';

/** Derives the children of a task. Those of one account cost one HMAC each. */
export function makeChildren(engine: KeyEngine, task: ChildrenTask): TaskResult {
  const writer = createRecordWriter(task.format, {
    records: task.count,
    createdAt: task.createdAt,
    hasMnemonics: false,
    frameBytes: task.count,
  });
  try {
    if (writeChildren(engine, task, writer)) {
      return { bytes: writer.take(), count: task.count, isStopped: false };
    }
  } catch (error) {
    writer.wipe();
    throw error;
  }
  writer.wipe();
  return nothing();
}

function writeChildren(engine: KeyEngine, task: ChildrenTask, writer: RecordWriter): boolean {
  const node = copySecret(task.coin);
  const accounts = createChildren(engine);
  const changes = createChildren(engine);
  const pair = newPair();
  let account: number | undefined;
  try {
    accounts.setParent(node);
    for (let at = task.from; at < task.from + task.count; at += 1) {
      if (isStopped(task)) return false;
      const indexes = indexesAt(task, at);
      if (account !== indexes.x) {
        accounts.deriveInto(node, indexes.x);
        changes.setParent(node);
        account = indexes.x;
      }
      changes.deriveInto(node, indexes.y);
      engine.keyPair(nodeSeed(node), pair);
      if (task.format === 'json' && at > 0) writer.writeFrame(',');
      writer.write({ ...pair, path: printDerivationPath(indexes) });
    }
    return !isStopped(task);
  } finally {
    accounts.wipe();
    changes.wipe();
    engine.wipe(node, pair.secretKey);
  }
}

function indexesAt({ accounts, change }: ChildrenTask, at: number): DerivationIndexes {
  return { x: accounts.start + Math.floor(at / change.count), y: change.start + (at % change.count) };
}
