import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Where the proxies run, and where the generator and the scripted node do. */
export const PROXY_CORE = 0;
export const LOAD_CORE = 1;

/** Keeps all threads of a process on one core. @returns false where the machine cannot: no taskset, or one core. */
export function pin(pid: number, core: number): boolean {
  if (availableParallelism() < 2 && core > 0) return false;
  try {
    execFileSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The CPU time of all threads of a process so far, in microseconds (Linux, proc(5) schedstat). */
export function readCpuUs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce((sum, thread) => sum + readThreadNs(pid, thread), 0) / 1000;
}

function readThreadNs(pid: number, thread: string): number {
  return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
}
