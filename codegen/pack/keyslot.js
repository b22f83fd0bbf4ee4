#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=1048576 MALLOC_TRIM_THRESHOLD_=131072 node
// The keyslot command of the package, on the Node that runs this. glibc gives large blocks back when they are free (docs/operate.md).
process.on('SIGUSR1', () => undefined); // Node would open a debugger; hardenProcess() of src/core has more.

// npx runs this by a shell, and a signal that it passes on can end the shell alone: then this one is meant too.
const PARENT_CHECK_MS = 500;
const parent = process.ppid;
if (process.env.npm_execpath !== undefined) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

await import('../src/main.js');
