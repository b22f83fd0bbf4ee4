import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PS_DEADLINE_MS = 5_000;

/**
 * Returns the start of a process, as text that is comparable only on the same machine; undefined if there is no such process. A pid alone
 * does not identify a process: the system reuses it.
 */
export function processStartedAt(pid: number): string | undefined {
  return existsSync('/proc/self/stat') ? readProcStat(pid) : askPs(pid);
}

/**
 * proc(5): fields 3 (state) and 22 (start, in clock ticks since the boot) of `stat`, counted after the name, which may contain anything. A
 * zombie has ended and only waits for its parent.
 */
function readProcStat(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function askPs(pid: number): string | undefined {
  try {
    const lookup = ['-o', 'lstart=', '-p', String(pid)];
    return (
      execFileSync('ps', lookup, { encoding: 'utf8', timeout: PS_DEADLINE_MS, stdio: 'pipe' }).trim() ||
      undefined
    );
  } catch {
    return undefined;
  }
}
