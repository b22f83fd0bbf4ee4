import { readdirSync, readFileSync } from 'node:fs';

/** Returns the process of a gateway's signer (Linux); undefined while it has none. */
export function signerPid(gatewayPid: number): number | undefined {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = read(`/proc/${name}/stat`);
    const isChild = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === gatewayPid;
    if (isChild && /\/signer\/main\.[jt]s/.test(read(`/proc/${name}/cmdline`))) return Number(name);
  }
  return undefined;
}

/** Empty for a process that has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
