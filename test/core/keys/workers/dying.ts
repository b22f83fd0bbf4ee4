import type { KeyTask } from '../../../../src/core/keys/key-task.ts';
import work from '../../../../src/core/keys/worker.ts';

/** A key thread that dies of any task of new wallets but the first of a job made in 1999. */
export default async function dieInTheMiddle(task: KeyTask): Promise<unknown> {
  if (task.kind === 'wallets' && !task.isFirst && task.createdAt.startsWith('1999')) process.exit(1);
  return work(task);
}
