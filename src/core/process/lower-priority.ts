import { constants, getPriority, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread below that of the main one, which answers requests: on Linux each thread has its own priority.
 * In a process with a low priority the thread keeps it, as none may raise its priority.
 */
export function lowerPriority(): void {
  const lower = constants.priority.PRIORITY_BELOW_NORMAL;
  if (process.platform === 'linux' && getPriority() < lower) setPriority(0, lower);
}
