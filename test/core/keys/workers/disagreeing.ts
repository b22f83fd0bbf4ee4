import type { KeyTask } from '../../../../src/core/keys/key-task.ts';

/** A key thread whose engine disagrees with the reference. */
export default function work(task: KeyTask): undefined {
  if (task.kind === 'check' && task.comparesReference) throw new Error('a signature differs');
  return undefined;
}
