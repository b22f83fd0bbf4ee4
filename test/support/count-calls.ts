import { Session } from 'node:inspector/promises';

// Loaded into a server: at SIGUSR2 it prints which of our functions have run since the last time, by V8's counts of calls.

const ROOT = new URL('../..', import.meta.url).href;

if (process.argv[2] === 'serve') await countCalls();

async function countCalls(): Promise<void> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  process.on('SIGUSR2', async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const called = result
      .filter(({ url }) => url.startsWith(ROOT) && !url.includes('/node_modules/') && url !== import.meta.url)
      .map(({ url, functions }) => ({
        path: url.slice(ROOT.length),
        functions: functions.filter(({ ranges: [range] }) => range !== undefined && range.count > 0).length,
      }))
      .filter(({ functions }) => functions > 0);
    process.stderr.write(`warm ${JSON.stringify(called)}\n`);
  });
}
