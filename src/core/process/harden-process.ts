import { writeFileSync } from 'node:fs';

/** Node's option that stops SIGUSR1 from opening a debugger; every start line and every child process has it. */
const NO_DEBUGGER = '--disable-sigusr1';
/** The memory that goes into a core dump, as a proc(5) coredump_filter: none. Children inherit it. */
const NO_MEMORY = '0';

/**
 * Closes the ways to read this process's memory from outside. SIGUSR1 is ignored from now on: it would open a debugger where
 * Node was started without `--disable-sigusr1`, and end the process where it was started with it. Core dumps contain no memory.
 */
export function hardenProcess(): void {
  if (process.listenerCount('SIGUSR1') === 0) process.on('SIGUSR1', ignore);
  keepMemoryOutOfDumps();
}

/** Keeps memory out of core dumps. @returns false where a process cannot control its core dumps: only Linux allows it. */
export function keepMemoryOutOfDumps(): boolean {
  try {
    writeFileSync('/proc/self/coredump_filter', NO_MEMORY);
    return true;
  } catch {
    return false;
  }
}

/** Returns Node's options for a child: the given ones, by default this process's own, plus `--disable-sigusr1`. */
export function childOptions(options: readonly string[] = process.execArgv): string[] {
  return [...options.filter((option) => option !== NO_DEBUGGER), NO_DEBUGGER];
}

function ignore(): void {
  // Ignoring the signal keeps the debugger closed.
}
