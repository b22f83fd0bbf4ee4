import { workerData } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { lowerPriority } from '../process/lower-priority.ts';
import { loadEngineOf } from './load-engine.ts';
import type { KeyEngine } from './engine.ts';
import type { KeyTask, TaskResult, WorkerSettings } from './key-task.ts';
import { assertKnownAnswers } from './known-answers.ts';
import { makeChildren } from './make-children.ts';
import { makeMaster } from './make-master.ts';
import { makeWallets } from './make-wallets.ts';

// A thread of the key pool.
lowerPriority();

const engine = loadProven(workerData);

/** Runs one task; its bytes are transferred to the caller. */
export default async function work(task: KeyTask): Promise<unknown> {
  if (task.kind === 'check' && task.comparesReference) {
    const { assertAgreesWithReference } = await import('./reference-engine.ts');
    assertAgreesWithReference(await engine);
  }
  const result = makeResult(await engine, task);
  return result === undefined ? undefined : moved(result);
}

function makeResult(keyEngine: KeyEngine, task: KeyTask): TaskResult | undefined {
  switch (task.kind) {
    case 'wallets':
      return makeWallets(keyEngine, task);
    case 'master':
      return makeMaster(keyEngine, task);
    case 'children':
      return makeChildren(keyEngine, task);
    case 'check':
      return undefined;
    default:
      return task satisfies never;
  }
}

async function loadProven(settings: WorkerSettings): Promise<KeyEngine> {
  const loaded = await loadEngineOf(settings.engine);
  assertKnownAnswers(loaded);
  return loaded;
}

function moved(result: TaskResult): unknown {
  return move({ [transferableSymbol]: result.bytes.buffer, [valueSymbol]: result });
}
