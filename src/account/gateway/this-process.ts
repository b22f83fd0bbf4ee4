import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { processStartedAt } from '../../store/process-started-at.ts';

/** Identifies a process: the machine its pid belongs to, the pid, and when it started. */
export type ProcessMark = { readonly machine: string; readonly pid: number; readonly started: string };

/** Returns the mark of this process. */
export function markOfThisProcess(): ProcessMark {
  return {
    machine: machineMark(),
    pid: process.pid,
    started: processStartedAt(process.pid) ?? '',
  };
}

/** True when a process is known to be gone. A process of another machine cannot be judged from here. */
export function isGone({ machine, pid, started }: ProcessMark): boolean {
  return machine === machineMark() && processStartedAt(pid) !== started;
}

/** On Linux the kernel's boot id and the pid namespace: two containers with the same name are not taken for one machine. */
function machineMark(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
