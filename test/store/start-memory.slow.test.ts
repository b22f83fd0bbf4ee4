import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { startHolder } from './crash.ts';

const directory = useNewDirectory();

const MOST_MIB = 300;

test.runIf(process.platform === 'linux')(
  `opening the embedded store takes at most ${MOST_MIB} MiB`,
  async () => {
    prepareStore(directory());
    const holder = await startHolder({ dataDir: directory() });
    onTestFinished(() => holder.kill());
    await eventually('what the start has begun in the background ends', watchCpu(holder.pid), {
      intervalMs: 500,
    });
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${holder.pid}/status`, 'utf8')) ?? [];
    expect(Number(kib) / 1_024).toBeLessThan(MOST_MIB);
  },
);

/** True when a process has used as good as no CPU since it was last asked for. */
function watchCpu(pid: number): () => true | undefined {
  const IDLE_TICKS = 2;
  let before = Number.NEGATIVE_INFINITY;
  return () => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [user, system] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    const ticks = Number(user) + Number(system);
    const isIdle = ticks - before <= IDLE_TICKS;
    before = ticks;
    return isIdle || undefined;
  };
}
