import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { processStartedAt } from '../../store/process-started-at.ts';

/** What tells a process from every other one: where its pid counts, the pid, and when it started. */
export type ProcessMark = { readonly machine: string; readonly pid: number; readonly started: string };

/** The mark of this process. */
export function markOfThisProcess(): ProcessMark {
  return {
    machine: machineMark(),
    pid: process.pid,
    started: processStartedAt(process.pid) ?? '',
  };
}

/** Whether a process is known to be gone. One of another machine cannot be judged from here. */
export function isGone({ machine, pid, started }: ProcessMark): boolean {
  return machine === machineMark() && processStartedAt(pid) !== started;
}

/** On Linux this boot of the kernel and the namespace of pids in it: two containers of one name are not taken for one machine. */
function machineMark(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}
