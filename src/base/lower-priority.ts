import { constants, getPriority, setPriority } from 'node:os';

/**
 * Lets the calling thread yield to the main one, which answers requests: on Linux a thread can have a priority of its own. One of a process that
 * has less already keeps it, as none may take more.
 */
export function lowerPriority(): void {
  const lower = constants.priority.PRIORITY_BELOW_NORMAL;
  if (process.platform === 'linux' && getPriority() < lower) setPriority(0, lower);
}
