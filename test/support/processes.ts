import { readdirSync, readFileSync } from 'node:fs';

export type RunningProcess = { readonly pid: number; readonly command: string; readonly uid: number };

/** A process and all below it (Linux), the first one first. */
export function processesBelow(pid: number): readonly RunningProcess[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }));
  const below = (parent: number): readonly number[] =>
    all.filter((each) => each.parent === parent).flatMap((each) => [each.pid, ...below(each.pid)]);
  return [pid, ...below(pid)].map(describeProcess);
}

function describeProcess(pid: number): RunningProcess {
  const uid = /^Uid:\s+\d+\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1];
  const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
  return { pid, command, uid: Number(uid) };
}

function parentOf(pid: string): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
